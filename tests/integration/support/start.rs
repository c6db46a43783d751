//! Start positions of the variants.

use oshi::game::Text;
use oshi::games::{Variant, Visitor};

/// Returns the position line of a variant's start.
pub fn start_line(variant: Variant) -> String {
    struct Line;
    impl Visitor for Line {
        type Output = String;

        fn visit<G: Text>(self, start: G) -> String {
            start.to_string()
        }
    }
    variant.start().visit(Line)
}

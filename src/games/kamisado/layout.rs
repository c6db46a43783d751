//! Board layouts: the four ways in which boards are printed and turned.

use strum::{EnumString, IntoStaticStr, VariantArray};

use super::board::Colour;

/// How the board is turned and printed. All four are the same game with the colours renamed, so a layout only matters
/// where text is read or written.
#[derive(
    Clone,
    Copy,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    Debug,
    Default,
    EnumString,
    IntoStaticStr,
    VariantArray,
)]
#[strum(serialize_all = "kebab-case", ascii_case_insensitive)]
pub enum Layout {
    /// Brown at each player's left, orange at the right.
    #[default]
    Standard,
    /// Files reversed: orange at each player's left.
    Mirrored,
    /// Square (file f, rank r), counted from 0, has the standard colour of (file r, rank 7−f).
    Turned,
    /// The turned board with its files reversed.
    TurnedMirrored,
}

impl Layout {
    /// All layouts, the standard one first.
    pub const ALL: &[Layout] = Layout::VARIANTS;

    /// The name in the position line's sixth field and in the option `Layout`.
    pub fn name(self) -> &'static str {
        self.into()
    }

    /// The layout of this very name; [`FromStr`] reads it in upper or lower case, as options are.
    pub(super) fn of_name(name: &str) -> Option<Layout> {
        Layout::ALL.iter().copied().find(|layout| layout.name() == name)
    }

    /// The colour that stands on this board where the standard one has `colour`; and back.
    pub const fn rename(self, colour: Colour) -> Colour {
        use Colour::{Blue, Brown, Green, Orange, Pink, Red, Violet, Yellow};
        let renamed = match self {
            Layout::Standard => Colour::ALL,
            Layout::Mirrored => [Orange, Blue, Violet, Pink, Yellow, Red, Green, Brown],
            Layout::Turned => [Orange, Red, Green, Pink, Yellow, Blue, Violet, Brown],
            Layout::TurnedMirrored => [Brown, Violet, Blue, Yellow, Pink, Green, Red, Orange],
        };
        renamed[colour.index()]
    }
}

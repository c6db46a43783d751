//! The four board layouts.

use strum::{EnumString, IntoStaticStr, VariantArray};

use super::square::Colour;

/// Board layout. All four are the same game with renamed colours, so the layout only affects text
/// and pictures.
///
/// ```
/// use oshi::games::kamisado::{Colour, Layout};
///
/// assert_eq!(Layout::Mirrored.rename(Colour::Brown), Colour::Orange);
/// assert_eq!("turned".parse(), Ok(Layout::Turned));
/// ```
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
    /// Brown at each player's left, orange at their right.
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

    /// The name in position lines and in the option `Layout`, such as `turned-mirrored`.
    pub fn name(self) -> &'static str {
        self.into()
    }

    /// The layout with exactly this name. `FromStr` ignores case, as options do.
    pub(super) fn of_name(name: &str) -> Option<Layout> {
        Layout::ALL.iter().copied().find(|layout| layout.name() == name)
    }

    /// Converts a colour of the standard board to the colour in its place on this one, or back.
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

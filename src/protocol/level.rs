//! Levels of strength by name, an alternative to ratings.

use strum::{EnumString, IntoStaticStr, VariantArray};

/// Strength of an engine as clients offer it. `protocol.md` defines each level by its `UCI_Elo`.
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
#[strum(serialize_all = "lowercase")]
pub enum Level {
    /// Knows the rules, and overlooks most immediate wins.
    Beginner,
    /// Takes most immediate wins, and often gives one away.
    #[default]
    Casual,
    /// Sees threats, and errs under pressure.
    Club,
    /// Rarely gives a round away.
    Expert,
    /// Gives no round away that a few moves win.
    Master,
    /// Full strength.
    Perfect,
}

impl Level {
    /// All levels, weakest first.
    pub const ALL: &[Level] = Level::VARIANTS;

    /// Name in lower case, such as `beginner`.
    pub fn name(self) -> &'static str {
        self.into()
    }

    /// Value of `UCI_Elo`; `None` for full strength, without `UCI_LimitStrength`.
    pub const fn elo(self) -> Option<u32> {
        match self {
            Level::Beginner => Some(600),
            Level::Casual => Some(1000),
            Level::Club => Some(1400),
            Level::Expert => Some(1800),
            Level::Master => Some(2200),
            Level::Perfect => None,
        }
    }
}

//! Strengths by name, for people who do not think in ratings.

use strum::{EnumString, IntoStaticStr, VariantArray};

/// How strong an engine is to play, as frontends offer it. `protocol.md` defines each level by its `UCI_Elo`.
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
    /// Has just learnt the rules.
    Beginner,
    /// Takes a win at once, and often gives one away.
    #[default]
    Casual,
    /// Sees what is under attack, and errs under pressure.
    Club,
    /// Rarely gives a round away.
    Expert,
    /// Gives no round away that takes few moves to win.
    Master,
    /// The engine at its full strength.
    Perfect,
}

impl Level {
    /// All levels, the weakest first.
    pub const ALL: &[Level] = Level::VARIANTS;

    /// The name: `beginner`.
    pub fn name(self) -> &'static str {
        self.into()
    }

    /// The value for `UCI_Elo`; `None` for full strength, without `UCI_LimitStrength`.
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

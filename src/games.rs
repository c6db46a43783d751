//! The games, and the one place where a game's name turns into its type: from here on dispatch is static.

pub mod kamisado;
pub mod kamon;
pub mod language;
mod logistic;
pub mod notation;

use rand::SeedableRng;
use rand::rngs::ChaCha8Rng;
use strum::{EnumString, IntoStaticStr, VariantArray};

use crate::draw::Draw;
use crate::game::{Game, Searchable};
pub use kamisado::Layout;
use kamisado::{Match, Target};
use kamon::Kamon;
use notation::Notation;

/// What is played, as `UCI_Variant` names it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default, EnumString, IntoStaticStr, VariantArray)]
#[strum(serialize_all = "kebab-case", ascii_case_insensitive)]
pub enum Variant {
    /// Kamisado to 1 point.
    KamisadoSimple,
    /// Kamisado to 3 points.
    #[default]
    KamisadoStandard,
    /// Kamisado to 7 points.
    KamisadoLong,
    /// Kamisado to 15 points.
    KamisadoMarathon,
    /// Kamon.
    Kamon,
}

/// Where a game starts, in a value.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct StartPosition {
    /// What is played.
    pub variant: Variant,
    /// In the colours of which board, where the game has several.
    pub layout: Layout,
    /// Draws the arrangement at random, if there is one; the same seed, the same arrangement.
    pub seed: Option<u64>,
}

/// Code that works for every game by its rules: it is handed a start position of the game's own type.
pub trait Visitor {
    /// What the visit makes.
    type Output;

    /// Called once, with the start or the position that was asked for.
    fn visit<G: Notation + Draw>(self, position: G) -> Self::Output;
}

/// Code that searches, for every game: it is handed a start position that can be estimated too.
pub trait SearchVisitor {
    /// What the visit makes.
    type Output;

    /// Called once, with the start or the position that was asked for.
    fn visit<G: Searchable + Notation + Draw>(self, position: G) -> Self::Output;
}

/// A visitor that asks for less than it is given.
struct ByTheRules<V>(V);

impl<V: Visitor> SearchVisitor for ByTheRules<V> {
    type Output = V::Output;

    fn visit<G: Searchable + Notation + Draw>(self, position: G) -> V::Output {
        self.0.visit(position)
    }
}

/// An invalid position line: which game it was read as, and what is wrong.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum PositionError {
    /// Read as a Kamisado position.
    #[error("invalid position: {0}")]
    Kamisado(#[from] kamisado::PositionError),
    /// Read as a Kamon position.
    #[error("invalid position: {0}")]
    Kamon(#[from] kamon::PositionError),
}

impl Variant {
    /// All variants, in the order in which they are listed.
    pub const ALL: &[Variant] = Variant::VARIANTS;

    /// The name in the protocol and in tournament files; it is read in upper or lower case.
    pub fn name(self) -> &'static str {
        self.into()
    }

    /// The name for people.
    pub const fn title(self) -> &'static str {
        match self {
            Variant::KamisadoSimple => "Kamisado (simple)",
            Variant::KamisadoStandard => "Kamisado (standard)",
            Variant::KamisadoLong => "Kamisado (long)",
            Variant::KamisadoMarathon => "Kamisado (marathon)",
            Variant::Kamon => "Kamon",
        }
    }

    /// Whether it is played in rounds for points.
    pub const fn has_points(self) -> bool {
        !matches!(self, Variant::Kamon)
    }

    /// Its start as it is set up without another word.
    pub fn start(self) -> StartPosition {
        StartPosition { variant: self, ..StartPosition::default() }
    }
}

impl StartPosition {
    /// Hands the position to the visitor.
    pub fn visit<V: Visitor>(self, visitor: V) -> V::Output {
        self.search(ByTheRules(visitor))
    }

    /// The same for a visitor that searches.
    pub fn search<V: SearchVisitor>(self, visitor: V) -> V::Output {
        let target = match self.variant {
            Variant::KamisadoSimple => Target::Simple,
            Variant::KamisadoStandard => Target::Standard,
            Variant::KamisadoLong => Target::Long,
            Variant::KamisadoMarathon => Target::Marathon,
            Variant::Kamon => return visitor.visit(self.drawn(Kamon::start())),
        };
        visitor.visit(self.drawn(Match::start(target).with_layout(self.layout)))
    }

    fn drawn<G: Game>(self, start: G) -> G {
        self.seed.map_or(start, |seed| start.random_start(&mut ChaCha8Rng::seed_from_u64(seed)))
    }
}

/// The names of all variants, for messages.
pub fn variant_names() -> String {
    Variant::ALL.iter().copied().map(Variant::name).collect::<Vec<_>>().join(", ")
}

/// Reads a position line of any game (only a Kamon line has rows in its second field) and hands it to the visitor.
///
/// # Errors
/// [`PositionError`] where the line is no valid position; the visitor is not called then.
pub fn visit_position<V: Visitor>(text: &str, visitor: V) -> Result<V::Output, PositionError> {
    search_position(text, ByTheRules(visitor))
}

/// The same for a visitor that searches.
///
/// # Errors
/// [`PositionError`] where the line is no valid position; the visitor is not called then.
pub fn search_position<V: SearchVisitor>(text: &str, visitor: V) -> Result<V::Output, PositionError> {
    let is_kamon = text.split_whitespace().nth(1).is_some_and(|field| field.contains('/'));
    Ok(if is_kamon { visitor.visit(text.parse::<Kamon>()?) } else { visitor.visit(text.parse::<Match>()?) })
}

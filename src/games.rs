//! The games, and the one place where a game's name turns into its type: from here on dispatch is static.

pub mod kamisado;
pub mod kamon;
pub mod language;
pub mod movetext;
pub mod notation;
pub mod spelling;
pub mod weights;

use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use strum::{EnumString, IntoStaticStr, VariantArray};

use crate::draw::Draw;
use crate::game::{Game, Searchable, Text};
pub use kamisado::Layout;
use kamisado::{Match, Target};
use kamon::Kamon;
use notation::Notation;

/// Makes of one line for each variant all that has to name them: the enum, the titles, the starts, and which games read a position line.
macro_rules! variants {
    ($($(#[$default:meta])? $variant:ident, $title:literal, |$layout:pat_param| $start:expr;)*) => {
        /// What is played, as `UCI_Variant` names it.
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default, EnumString, IntoStaticStr, VariantArray)]
        #[strum(serialize_all = "kebab-case", ascii_case_insensitive)]
        pub enum Variant {
            $(#[doc = $title] $(#[$default])? $variant,)*
        }

        impl Variant {
            /// The name for people.
            pub const fn title(self) -> &'static str {
                match self {
                    $(Variant::$variant => $title,)*
                }
            }
        }

        impl StartPosition {
            /// Hands the position to a visitor that searches.
            pub fn search<V: SearchVisitor>(self, visitor: V) -> V::Output {
                match self.variant {
                    $(Variant::$variant => {
                        let $layout = self.layout;
                        visitor.visit(self.drawn($start))
                    })*
                }
            }
        }

        /// Reads a position line of any game, and hands it to a visitor that searches.
        ///
        /// # Errors
        /// [`PositionError`] where the line is no valid position; the visitor is not called then.
        pub fn search_position<V: SearchVisitor>(text: &str, visitor: V) -> Result<V::Output, PositionError> {
            let mut problem = None;
            $(match read_as(|$layout| $start, text) {
                Ok(position) => return Ok(visitor.visit(position)),
                Err(error) => problem = problem.or(error),
            })*
            Err(problem.unwrap_or_default())
        }
    };
}

variants! {
    KamisadoSimple, "Kamisado (simple)", |layout| Match::start(Target::Simple).with_layout(layout);
    #[default] KamisadoStandard, "Kamisado (standard)", |layout| Match::start(Target::Standard).with_layout(layout);
    KamisadoLong, "Kamisado (long)", |layout| Match::start(Target::Long).with_layout(layout);
    KamisadoMarathon, "Kamisado (marathon)", |layout| Match::start(Target::Marathon).with_layout(layout);
    Kamon, "Kamon", |_| Kamon::start();
}

/// An invalid position line.
#[derive(Clone, PartialEq, Eq, Debug, Default, thiserror::Error)]
#[error("invalid position: {reason}")]
pub struct PositionError {
    /// What is wrong with it, in the words of the game whose line it seems to be.
    reason: String,
}

/// Reads a position line of the game that starts like this; where it is not valid, what is wrong if it seems to be one.
fn read_as<G: Text>(_start: impl Fn(Layout) -> G, text: &str) -> Result<G, Option<PositionError>> {
    text.parse().map_err(|error: G::Err| {
        G::resembles(text).then(|| PositionError { reason: error.to_string() })
    })
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

impl Variant {
    /// All variants, in the order in which they are listed.
    pub const ALL: &[Variant] = Variant::VARIANTS;

    /// The name in the protocol and in tournament files; it is read in upper or lower case.
    pub fn name(self) -> &'static str {
        self.into()
    }

    /// Whether it is played for points.
    pub fn counts_points(self) -> bool {
        struct CountsPoints;
        impl Visitor for CountsPoints {
            type Output = bool;

            fn visit<G: Notation + Draw>(self, _: G) -> bool {
                G::COUNTS_POINTS
            }
        }
        self.start().visit(CountsPoints)
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

    fn drawn<G: Game>(self, start: G) -> G {
        self.seed.map_or(start, |seed| start.random_start(&mut ChaCha8Rng::seed_from_u64(seed)))
    }
}

/// The names of all variants, for messages.
pub fn variant_names() -> String {
    Variant::ALL.iter().copied().map(Variant::name).collect::<Vec<_>>().join(", ")
}

/// Reads a position line of any game, and hands it to the visitor.
///
/// # Errors
/// [`PositionError`] where the line is no valid position; the visitor is not called then.
pub fn visit_position<V: Visitor>(text: &str, visitor: V) -> Result<V::Output, PositionError> {
    search_position(text, ByTheRules(visitor))
}

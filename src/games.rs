//! The games and their variants. Only this file maps names of variants to types; dispatch is static
//! after that.
//!
//! ```
//! use oshi::draw::Draw;
//! use oshi::games::notation::Notation;
//! use oshi::games::{Variant, Visitor, visit_position};
//!
//! struct CountMoves;
//!
//! impl Visitor for CountMoves {
//!     type Output = usize;
//!
//!     fn visit<G: Notation + Draw>(self, position: G) -> usize {
//!         position.legal_moves().len()
//!     }
//! }
//!
//! let variant: Variant = "kamisado-long".parse()?;
//! assert_eq!(variant.title(), "Kamisado (long)");
//! assert_eq!(variant.start().visit(CountMoves), 102);
//! assert_eq!(visit_position("OLVPYRGB/8/8/3y4/8/8/8/bgr1pvlo w o 0-0 3", CountMoves)?, 8);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod kamisado;
pub mod kamon;
pub mod language;
pub mod movetext;
pub mod notation;
pub mod spelling;
#[cfg(test)]
pub(crate) mod toy;
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

/// Generates the code that names every variant: the enum, the titles, the starts, and the games
/// that a position line is tried with.
macro_rules! variants {
    ($($(#[$default:meta])? $variant:ident, $title:literal, |$layout:pat_param| $start:expr;)*) => {
        /// A variant, named as in `UCI_Variant`.
        #[derive(
            Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default,
            EnumString, IntoStaticStr, VariantArray,
        )]
        #[strum(serialize_all = "kebab-case", ascii_case_insensitive)]
        pub enum Variant {
            $(#[doc = $title] $(#[$default])? $variant,)*
        }

        impl Variant {
            /// Display name, such as `Kamisado (long)`.
            pub const fn title(self) -> &'static str {
                match self {
                    $(Variant::$variant => $title,)*
                }
            }
        }

        impl StartPosition {
            /// Calls the visitor with the position.
            pub fn search<V: SearchVisitor>(self, visitor: V) -> V::Output {
                match self.variant {
                    $(Variant::$variant => {
                        let $layout = self.layout;
                        visitor.visit(self.drawn($start))
                    })*
                }
            }
        }

        /// Reads a position line of any game and calls the visitor with the position.
        ///
        /// # Errors
        /// [`PositionError`] if the line is not a valid position. Then the visitor is not called.
        pub fn search_position<V: SearchVisitor>(
            text: &str,
            visitor: V,
        ) -> Result<V::Output, PositionError> {
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
    #[default]
    KamisadoStandard, "Kamisado (standard)",
        |layout| Match::start(Target::Standard).with_layout(layout);
    KamisadoLong, "Kamisado (long)", |layout| Match::start(Target::Long).with_layout(layout);
    KamisadoMarathon, "Kamisado (marathon)",
        |layout| Match::start(Target::Marathon).with_layout(layout);
    Kamon, "Kamon", |_| Kamon::start();
}

/// An invalid position line.
#[derive(Clone, PartialEq, Eq, Debug, Default, thiserror::Error)]
#[error("invalid position: {reason}")]
pub struct PositionError {
    /// Reason given by the game that the line resembles.
    reason: String,
}

/// Reads a position line of the game with this start. The error is `None` if the line does not
/// resemble one of this game.
fn read_as<G: Text>(_start: impl Fn(Layout) -> G, text: &str) -> Result<G, Option<PositionError>> {
    text.parse().map_err(|error: G::Err| {
        G::resembles(text).then(|| PositionError { reason: error.to_string() })
    })
}

/// Description of the start of a game.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct StartPosition {
    /// The variant.
    pub variant: Variant,
    /// The printed board, if the game has several.
    pub layout: Layout,
    /// Seed of a random start, such as another arrangement of the towers. Equal seeds give equal
    /// starts.
    pub seed: Option<u64>,
}

/// Code that runs on a position of any game and needs its rules and text forms only.
pub trait Visitor {
    /// Result of the visit.
    type Output;

    /// Called once with the position.
    fn visit<G: Notation + Draw>(self, position: G) -> Self::Output;
}

/// Code that runs on a position of any game and searches it.
pub trait SearchVisitor {
    /// Result of the visit.
    type Output;

    /// Called once with the position.
    fn visit<G: Searchable + Notation + Draw>(self, position: G) -> Self::Output;
}

/// Adapts a [`Visitor`] to a [`SearchVisitor`].
struct RulesOnly<V>(V);

impl<V: Visitor> SearchVisitor for RulesOnly<V> {
    type Output = V::Output;

    fn visit<G: Searchable + Notation + Draw>(self, position: G) -> V::Output {
        self.0.visit(position)
    }
}

impl Variant {
    /// All variants in the order of the engine's option.
    pub const ALL: &[Variant] = Variant::VARIANTS;

    /// Name in the protocol and in tournament files. Reading it ignores case.
    pub fn name(self) -> &'static str {
        self.into()
    }

    /// Whether players score points.
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

    /// The default start: standard board, fixed arrangement.
    pub fn start(self) -> StartPosition {
        StartPosition { variant: self, ..StartPosition::default() }
    }
}

impl StartPosition {
    /// Calls the visitor with the position.
    pub fn visit<V: Visitor>(self, visitor: V) -> V::Output {
        self.search(RulesOnly(visitor))
    }

    fn drawn<G: Game>(self, start: G) -> G {
        self.seed.map_or(start, |seed| start.random_start(&mut ChaCha8Rng::seed_from_u64(seed)))
    }
}

/// Names of all variants, separated by commas, for messages.
pub fn variant_names() -> String {
    Variant::ALL.iter().copied().map(Variant::name).collect::<Vec<_>>().join(", ")
}

/// Names of all layouts, separated by commas, for messages.
pub fn layout_names() -> String {
    Layout::ALL.iter().copied().map(Layout::name).collect::<Vec<_>>().join(", ")
}

/// Reads a position line of any game and calls the visitor with the position.
///
/// # Errors
/// [`PositionError`] if the line is not a valid position. Then the visitor is not called.
pub fn visit_position<V: Visitor>(text: &str, visitor: V) -> Result<V::Output, PositionError> {
    search_position(text, RulesOnly(visitor))
}

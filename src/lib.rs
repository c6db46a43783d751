//! Rules, text forms and search of the board games Kamisado and Kamon, and the engine `oshi`.
//!
//! Modules depend on each other in one direction only:
//!
//! - [`game`]: traits for rules, text forms, rounds and evaluation. Depends on nothing.
//! - [`games`]: Kamisado and Kamon with notation in four languages. Depends on [`game`], [`draw`].
//! - [`draw`]: boards as SVG pictures. Depends on [`game`].
//! - [`perft`]: counts of move sequences, to check rules. Depends on [`game`].
//! - [`search`]: proofs and Monte Carlo tree search for any game. Depends on [`game`].
//! - [`solver`]: long proofs and their certificates. Depends on [`game`], [`search`].
//! - [`protocol`]: commands and replies of the engine. Depends on [`game`].
//! - [`text`]: text files in any encoding. Depends on nothing.
//! - [`engine`]: the engine `oshi`, for programs and pages. Depends on all others.
//!
//! # Example
//! Set up a position, match the text of a move with the legal moves, and search for the best move:
//!
//! ```
//! use oshi::game::{Game, MoveError, Text};
//! use oshi::games::kamisado::{Match, Target};
//! use oshi::search::{Control, Limits, Searcher, Settings};
//!
//! let mut position = Match::start(Target::Standard);
//! assert_eq!(position.legal_moves().len(), 102);
//! assert!(matches!(position.parse_move("a1a9"), Err(MoveError::Malformed { .. })));
//! assert!(matches!(position.parse_move("a2a3"), Err(MoveError::Illegal { .. })));
//! position.play(position.parse_move("d1d5")?);
//! assert_eq!(position.to_string(), "OLVPYRGB/8/8/3y4/8/8/8/bgr1pvlo w o 0-0 3");
//!
//! let limits = Limits { nodes: Some(1_000), ..Limits::default() };
//! let mut searcher = Searcher::new(Settings::default());
//! let report = searcher.run(&position, &limits, &Control::default(), &mut |_| ());
//! assert!(report.best_move().is_some_and(|best| position.legal_moves().contains(&best)));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod clock;
pub mod draw;
pub mod engine;
pub mod game;
pub mod games;
mod memory;
pub mod perft;
pub mod protocol;
pub mod search;
pub mod solver;
pub mod text;

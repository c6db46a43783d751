//! `oshi`: a headless engine for the board games Kamisado and Kamon, and `basho`, its tournament runner.
//!
//! The arrows between the modules run one way: [`games`] → [`game`], [`draw`] → [`game`], [`search`] → [`game`],
//! [`protocol`] → [`game`] (how it quotes a text), [`engine`] → all of these, [`sheet`] → [`games`],
//! [`runner`] → [`protocol`], [`games`], [`sheet`]; [`text`] and [`printable`] → nothing. The runner, the sheets and [`printable`]
//! stand behind the feature `basho`, which is on by default.
//!
//! A position is read or set up, moves are parsed and matched against the legal ones, and a searcher finds the best of them:
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
//! let report = Searcher::new(Settings::default()).run(&position, &limits, &Control::default(), &mut |_| ());
//! assert!(report.best_move().is_some_and(|best| position.legal_moves().contains(&best)));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod draw;
pub mod engine;
pub mod game;
pub mod games;
pub mod perft;
pub mod protocol;
pub mod search;
pub mod text;

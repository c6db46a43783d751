//! What is wrong with a tournament's file or command line, in the words of its users.

use std::path::PathBuf;

/// What is wrong with a tournament.
#[derive(Debug, thiserror::Error)]
pub enum ConfigError {
    /// The file cannot be read.
    #[error("{path}: {source}")]
    File {
        /// Which file.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// The text is not a valid tournament; the message has line and key.
    #[error("{origin}: {message}")]
    Text {
        /// The file, or another source of the text.
        origin: String,
        /// Where and what, with what was expected.
        message: String,
    },
    /// Too few engines.
    #[error("expected at least two engines, got {0}")]
    TooFewEngines(usize),
    /// A name for every engine.
    #[error(
        "each: name `{0}`; expected a name in the table of an engine, since no two have the same"
    )]
    CommonName(String),
    /// An engine without a program.
    #[error("engine {0}: no `cmd`; expected a program, `builtin:random` or `builtin:greedy`")]
    NoProgram(usize),
    /// There is no such built-in player.
    #[error(
        "engine {number}: no built-in player `{name}`; expected `builtin:random` or `builtin:greedy`"
    )]
    UnknownBuiltin {
        /// Which engine, from 1.
        number: usize,
        /// The name that was given.
        name: String,
    },
    /// An engine that is to play another variant than the tournament.
    #[error(
        "engine {number}: option `UCI_Variant` is `{value}`; expected `{variant}`, the tournament's `variant`"
    )]
    OtherVariant {
        /// Which engine, from 1.
        number: usize,
        /// The tournament's.
        variant: &'static str,
        /// The engine's.
        value: String,
    },
    /// An engine without a limit.
    #[error(
        "engine {0}: no limit; expected `tc`, `movetime`, `nodes` or `depth`, here or for each"
    )]
    NoLimit(usize),
    /// An engine with a clock and a time per move.
    #[error("engine {0}: both `tc` and `movetime`; expected one of them")]
    TwoTimes(usize),
    /// A sequential test is between two engines.
    #[error("sprt: expected two engines, got {0}")]
    SprtEngines(usize),
    /// A tolerance without a test.
    #[error("--tolerate-faults: no sequential test; expected a tournament with `sprt`")]
    NoTest,
}

/// What the readers of tournaments say of kinds of numbers, and the words of users for it.
const PLAIN_WORDS: [(&str, &str); 7] = [
    ("expected a nonzero u32", "expected a whole number, 1 to 4294967295"),
    ("expected a nonzero u64", "expected a whole number, 1 to 9223372036854775807"),
    ("expected a nonzero usize", "expected a whole number, 1 to 9223372036854775807"),
    ("expected u32", "expected a whole number, 0 to 4294967295"),
    ("expected f64", "expected a number"),
    ("invalid type: string", "invalid value: text"),
    ("unknown variant `bayesian`", "unknown model `bayesian`"),
];

impl ConfigError {
    /// A text with an error, which is said in plain words.
    pub(crate) fn text(origin: String, error: &toml::de::Error) -> ConfigError {
        let said = error.to_string().trim_end().to_owned();
        let message =
            PLAIN_WORDS.iter().fold(said, |said, (jargon, plain)| said.replace(jargon, plain));
        ConfigError::Text { origin, message }
    }
}

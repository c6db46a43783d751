//! Errors in a tournament file or command line, in the terms of its user.

use std::path::PathBuf;

/// An error in the settings of a tournament.
#[derive(Debug, thiserror::Error)]
pub enum ConfigError {
    /// The file cannot be read.
    #[error("{path}: {source}")]
    File {
        /// Path of the file.
        path: PathBuf,
        /// Error of the system.
        source: std::io::Error,
    },
    /// The text is not a valid tournament.
    #[error("{origin}: {message}")]
    Text {
        /// File name or other origin of the text.
        origin: String,
        /// Line, key, and what was expected.
        message: String,
    },
    /// Fewer than two engines.
    #[error("expected at least two engines, got {0}")]
    TooFewEngines(usize),
    /// A name among the defaults for every engine.
    #[error("each: name `{0}`; expected a name in the table of each engine")]
    CommonName(String),
    /// An engine without a program.
    #[error("engine {0}: no `cmd`; expected a program, `builtin:random` or `builtin:greedy`")]
    NoProgram(usize),
    /// An unknown built-in player.
    #[error(
        "engine {number}: no built-in player `{name}`; \
         expected `builtin:random` or `builtin:greedy`"
    )]
    UnknownBuiltin {
        /// Number of the engine, from 1.
        number: usize,
        /// The unknown name.
        name: String,
    },
    /// An option `UCI_Variant` that differs from the tournament's variant.
    #[error(
        "engine {number}: option `UCI_Variant` is `{value}`; \
         expected `{variant}`, the tournament's `variant`"
    )]
    OtherVariant {
        /// Number of the engine, from 1.
        number: usize,
        /// Variant of the tournament.
        variant: &'static str,
        /// Value of the engine's option.
        value: String,
    },
    /// An engine without a search limit.
    #[error(
        "engine {0}: no limit; expected `tc`, `movetime`, `nodes` or `depth`, here or for each"
    )]
    NoLimit(usize),
    /// An engine with both a clock and a time per move.
    #[error("engine {0}: both `tc` and `movetime`; expected one of them")]
    TwoTimes(usize),
    /// A sequential test with other than two engines.
    #[error("sprt: expected two engines, got {0}")]
    SprtEngines(usize),
    /// A tolerance of faults without a sequential test.
    #[error("--tolerate-faults: no sequential test; expected a tournament with `sprt`")]
    NoTest,
}

/// Phrases of the deserializers, and their replacements for users.
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
    /// The error of a text, without the jargon of the deserializers.
    pub(crate) fn text(origin: String, error: &toml::de::Error) -> ConfigError {
        let text = error.to_string().trim_end().to_owned();
        let message =
            PLAIN_WORDS.iter().fold(text, |text, (jargon, plain)| text.replace(jargon, plain));
        ConfigError::Text { origin, message }
    }
}

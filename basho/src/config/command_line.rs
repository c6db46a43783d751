//! A tournament stated on the command line, in the syntax of fastchess: `cmd=./oshi name=dev
//! option.Hash=64`.
//!
//! The `key=value` words become the same table as a tournament file and pass the same checks.

use serde::Deserialize;
use toml::{Table, Value};

use crate::config::{ConfigError, Tournament};

/// An invalid `key=value` word.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum KeyValueError {
    /// The word has no equals sign.
    #[error("{flag}: expected key=value, got `{word}`")]
    NoValue {
        /// Flag before the word.
        flag: &'static str,
        /// The word.
        word: String,
    },
    /// A key occurs twice.
    #[error("{flag}: `{key}` is given twice")]
    Twice {
        /// Flag before the word.
        flag: &'static str,
        /// The repeated key.
        key: String,
    },
}

/// Keys with string values, even if these look like numbers.
const TEXT_KEYS: [&str; 7] = ["cmd", "name", "args", "dir", "stderr", "tc", "file"];

/// Turns the words after a flag into a table.
///
/// # Errors
/// [`KeyValueError`] names the flag and the word.
pub fn table(flag: &'static str, words: &[String]) -> Result<Table, KeyValueError> {
    let mut table = Table::new();
    for word in words {
        let (key, text) = word
            .split_once('=')
            .ok_or_else(|| KeyValueError::NoValue { flag, word: word.clone() })?;
        let (target, name) = match key.strip_prefix("option.") {
            Some(name) => {
                let options = table.entry("option").or_insert_with(|| Value::Table(Table::new()));
                // Not a table after `option=…`, which is then refused as repeated.
                (options.as_table_mut(), name)
            }
            None => (Some(&mut table), key),
        };
        let value = if TEXT_KEYS.contains(&key) || key.starts_with("option.") {
            Value::String(text.to_owned())
        } else {
            scalar(text)
        };
        let fresh = target.is_some_and(|target| target.insert(name.to_owned(), value).is_none());
        if !fresh {
            return Err(KeyValueError::Twice { flag, key: key.to_owned() });
        }
    }
    Ok(table)
}

/// An integer, boolean or float if the text is one, else a string.
fn scalar(text: &str) -> Value {
    let integer = text.parse().map(Value::Integer).ok();
    let truth = || text.parse().map(Value::Boolean).ok();
    let number = || text.parse().ok().filter(|number: &f64| number.is_finite()).map(Value::Float);
    if text.bytes().all(|byte| byte.is_ascii_digit()) && integer.is_none() {
        // An integer that does not fit would lose its last digits as a float.
        return Value::String(text.to_owned());
    }
    integer.or_else(truth).or_else(number).unwrap_or_else(|| Value::String(text.to_owned()))
}

/// Reads a tournament from the table of a command line.
///
/// # Errors
/// [`ConfigError::Text`] names the key and what was expected.
pub fn tournament(table: Table) -> Result<Tournament, ConfigError> {
    Tournament::deserialize(table)
        .map_err(|error| ConfigError::text("command line".to_owned(), &error))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<String> {
        text.split_whitespace().map(str::to_owned).collect()
    }

    #[test]
    fn words_make_the_same_table_as_a_file() {
        let made = table(
            "--engine",
            &words("cmd=./oshi name=7 nodes=2000 option.Hash=64 option.Layout=turned"),
        )
        .unwrap();
        let expected =
            "cmd = './oshi'\nname = '7'\nnodes = 2000\noption = { Hash = '64', Layout = 'turned' }";
        assert_eq!(made, expected.parse::<Table>().unwrap());
    }

    #[test]
    fn keeps_equals_signs_in_values() {
        assert_eq!(
            table("--engine", &words("args=--a=b")).unwrap()["args"].as_str(),
            Some("--a=b")
        );
    }

    #[test]
    fn names_invalid_word() {
        let error = |text| table("--engine", &words(text)).unwrap_err().to_string();
        assert_eq!(error("cmd"), "--engine: expected key=value, got `cmd`");
        assert_eq!(error("nodes=1 nodes=2"), "--engine: `nodes` is given twice");
        assert_eq!(error("option=1 option.Hash=2"), "--engine: `option.Hash` is given twice");
    }

    #[test]
    fn rejects_unknown_key() {
        let mut top = Table::new();
        top.insert("each".to_owned(), Value::Table(table("--each", &words("node=5")).unwrap()));
        let message = tournament(top).unwrap_err().to_string();
        assert!(
            message.contains("unknown field `node`") && message.contains("`nodes`"),
            "{message}"
        );
    }

    #[test]
    fn rejects_invalid_number_in_plain_words() {
        let refused = |key: &str, text| {
            let mut top = Table::new();
            top.insert(key.to_owned(), Value::Table(table("--each", &words(text)).unwrap()));
            tournament(top).unwrap_err().to_string()
        };
        for (key, text, expected) in [
            ("each", "nodes=0", "expected a whole number, 1 to 9223372036854775807"),
            (
                "each",
                "nodes=18446744073709551616",
                "\"18446744073709551616\", expected a whole number, 1 to 9223372036854775807",
            ),
            ("each", "timemargin=-1", "expected a whole number, 0 to 4294967295"),
            ("sprt", "elo0=inf elo1=5", "text \"inf\", expected a number"),
            ("sprt", "elo0=0 elo1=5 model=bayesian", "unknown model `bayesian`, expected `"),
        ] {
            let message = refused(key, text);
            assert!(message.contains(expected), "{text}: {message}");
        }
    }
}

//! Options of an engine: declarations and values.

use std::fmt::{self, Display, Formatter};

use super::error::ParseReplyError;
use super::words::{Excerpt, Words};

/// Spelling of an empty `string`.
const EMPTY: &str = "<empty>";

/// An `option` line: `option name NAME type TYPE …`. `Display` prints it.
///
/// # Example
/// ```
/// use oshi::protocol::{OptionValue, Reply};
///
/// let line = "option name Threads type spin default 1 min 1 max 256";
/// let Ok(Reply::Option(threads)) = Reply::parse(line) else { panic!("not an option") };
/// assert_eq!(threads.read(Some("8")), Ok(OptionValue::Spin(8)));
/// assert_eq!(
///     threads.read(Some("0")).unwrap_err().to_string(),
///     "invalid value `0` for option `Threads`: expected a whole number from 1 to 256"
/// );
/// assert_eq!(threads.to_string(), line);
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct OptionLine {
    /// Name; `setoption` ignores its case.
    pub name: String,
    /// Type with default and range.
    pub kind: OptionKind,
}

/// Type of an option, with default and range.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum OptionKind {
    /// `check`: `true` or `false`.
    Check {
        /// Initial value.
        default: bool,
    },
    /// `spin`: a whole number.
    Spin {
        /// Initial value.
        default: i64,
        /// Smallest value.
        min: i64,
        /// Greatest value.
        max: i64,
    },
    /// `combo`: one of several words.
    Combo {
        /// Initial value.
        default: String,
        /// The words to choose from.
        choices: Vec<String>,
    },
    /// `string`: any text. An empty text is written `<empty>`.
    Text {
        /// Initial value.
        default: String,
    },
    /// `button`: triggers an action and has no value.
    Button,
}

/// Valid value of an option.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum OptionValue {
    /// Value of a `check`.
    Check(bool),
    /// Value of a `spin`, within its range.
    Spin(i64),
    /// Value of a `combo`: the index of the choice.
    Choice(usize),
    /// Value of a `string`.
    Text(String),
    /// A `button` was pressed.
    Pressed,
}

/// Reason why an option cannot be set.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum OptionError {
    /// No option has this name.
    #[error("unknown option {name}: expected one listed by `uci`{}", suggestion(.suggestions))]
    Unknown {
        /// The name.
        name: Excerpt,
        /// Options that may be meant.
        suggestions: Vec<String>,
    },
    /// The value is missing or invalid.
    #[error("{value} for option `{name}`: expected {expected}")]
    Value {
        /// The value that was given, if any.
        value: GivenValue,
        /// The option.
        name: String,
        /// Description of the valid values.
        expected: String,
    },
}

impl OptionError {
    /// Creates the error for an unknown name, with the options that may be meant.
    pub fn unknown(name: &str, suggestions: Vec<String>) -> OptionError {
        OptionError::Unknown { name: Excerpt::of(name), suggestions }
    }
}

fn suggestion(names: &[String]) -> String {
    if names.is_empty() { String::new() } else { format!(", such as `{}`", names.join("` and `")) }
}

/// Value in a `setoption`, which may be missing.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct GivenValue(Option<Excerpt>);

impl Display for GivenValue {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Some(value) => write!(f, "invalid value {value}"),
            None => f.write_str("missing value"),
        }
    }
}

impl OptionKind {
    /// Returns the default, or `None` for a button and for a combo with an invalid default.
    pub fn default_value(&self) -> Option<OptionValue> {
        match self {
            OptionKind::Check { default } => Some(OptionValue::Check(*default)),
            OptionKind::Spin { default, .. } => Some(OptionValue::Spin(*default)),
            OptionKind::Combo { default, choices } => choice(choices, default),
            OptionKind::Text { default } => Some(OptionValue::Text(default.clone())),
            OptionKind::Button => None,
        }
    }

    fn read(&self, value: Option<&str>) -> Option<OptionValue> {
        match (self, value) {
            (OptionKind::Check { .. }, Some("true")) => Some(OptionValue::Check(true)),
            (OptionKind::Check { .. }, Some("false")) => Some(OptionValue::Check(false)),
            (OptionKind::Spin { min, max, .. }, Some(value)) => value
                .parse()
                .ok()
                .filter(|number| (min..=max).contains(&number))
                .map(OptionValue::Spin),
            (OptionKind::Combo { choices, .. }, Some(value)) => choice(choices, value),
            (OptionKind::Text { .. }, Some(value)) => Some(OptionValue::Text(if value == EMPTY {
                String::new()
            } else {
                value.to_owned()
            })),
            (OptionKind::Button, None) => Some(OptionValue::Pressed),
            _ => None,
        }
    }

    /// Describes the valid values.
    fn expected(&self) -> String {
        match self {
            OptionKind::Check { .. } => "`true` or `false`".to_owned(),
            OptionKind::Spin { min, max, .. } => format!("a whole number from {min} to {max}"),
            OptionKind::Combo { choices, .. } => format!("one of {}", choices.join(", ")),
            OptionKind::Text { .. } => format!("a text, or `{EMPTY}`"),
            OptionKind::Button => "no value for a button".to_owned(),
        }
    }
}

fn choice(choices: &[String], value: &str) -> Option<OptionValue> {
    choices.iter().position(|choice| choice.eq_ignore_ascii_case(value)).map(OptionValue::Choice)
}

impl OptionLine {
    /// Returns true if `name` is the name of this option, in any case.
    pub fn is_called(&self, name: &str) -> bool {
        self.name.eq_ignore_ascii_case(name)
    }

    /// Parses the value of a `setoption`.
    ///
    /// # Errors
    /// [`OptionError::Value`] describes the valid values.
    pub fn read(&self, value: Option<&str>) -> Result<OptionValue, OptionError> {
        self.kind.read(value).ok_or_else(|| OptionError::Value {
            value: GivenValue(value.map(Excerpt::of)),
            name: self.name.clone(),
            expected: self.kind.expected(),
        })
    }

    /// Parses the line after the word `option`.
    pub(super) fn parse(words: &mut Words<'_>) -> Result<OptionLine, ParseReplyError> {
        const FORM: ParseReplyError = ParseReplyError::Malformed {
            line: "option",
            expected: "`name NAME type TYPE` with the default of the type",
        };
        if words.next() != Some("name") {
            return Err(FORM);
        }
        let name = words.join_until(|word| word == "type");
        words.next();
        let kind = words.next();
        let (mut default, mut min, mut max, mut choices) = (None, None, None, Vec::new());
        while let Some(word) = words.next() {
            match word {
                // The default of a `string` may contain keywords; it takes the rest of the line.
                "default" if kind == Some("string") => {
                    default = Some(std::mem::take(&mut words.rest).to_owned())
                }
                "default" => default = Some(words.join_until(is_field)),
                "min" => min = words.next().and_then(|word| word.parse().ok()),
                "max" => max = words.next().and_then(|word| word.parse().ok()),
                "var" => choices.push(words.join_until(is_field)),
                _ => return Err(FORM),
            }
        }
        let kind = match (kind, default, min, max) {
            (Some("check"), Some(default), _, _) => {
                default.parse().ok().map(|default| OptionKind::Check { default })
            }
            (Some("spin"), Some(default), Some(min), Some(max)) => {
                default.parse().ok().map(|default| OptionKind::Spin { default, min, max })
            }
            (Some("combo"), Some(default), _, _) => Some(OptionKind::Combo { default, choices }),
            (Some("string"), default, _, _) => Some(OptionKind::Text {
                default: default.filter(|text| text != EMPTY).unwrap_or_default(),
            }),
            (Some("button"), _, _, _) => Some(OptionKind::Button),
            _ => None,
        };
        kind.filter(|_| !name.is_empty()).map(|kind| OptionLine { name, kind }).ok_or(FORM)
    }
}

fn is_field(word: &str) -> bool {
    matches!(word, "default" | "min" | "max" | "var")
}

impl Display for OptionLine {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "option name {} type ", self.name)?;
        match &self.kind {
            OptionKind::Check { default } => write!(f, "check default {default}"),
            OptionKind::Spin { default, min, max } => {
                write!(f, "spin default {default} min {min} max {max}")
            }
            OptionKind::Combo { default, choices } => {
                write!(f, "combo default {default}")?;
                choices.iter().try_for_each(|choice| write!(f, " var {choice}"))
            }
            OptionKind::Text { default } => {
                write!(f, "string default {}", if default.is_empty() { EMPTY } else { default })
            }
            OptionKind::Button => f.write_str("button"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(name: &str, kind: OptionKind) -> OptionLine {
        OptionLine { name: name.to_owned(), kind }
    }

    fn colours() -> OptionLine {
        let choices = ["Red", "blue"].map(str::to_owned).to_vec();
        line("Colour", OptionKind::Combo { default: "Red".into(), choices })
    }

    #[test]
    fn reads_valid_values() {
        let hash = line("Hash", OptionKind::Spin { default: 16, min: -1, max: 64 });
        assert_eq!(hash.read(Some("64")), Ok(OptionValue::Spin(64)));
        assert_eq!(hash.read(Some("-1")), Ok(OptionValue::Spin(-1)));
        assert_eq!(colours().read(Some("rED")), Ok(OptionValue::Choice(0)));
        let check = line("Ponder", OptionKind::Check { default: true });
        assert_eq!(check.read(Some("false")), Ok(OptionValue::Check(false)));
        let text = line("LogFile", OptionKind::Text { default: String::new() });
        assert_eq!(text.read(Some("<empty>")), Ok(OptionValue::Text(String::new())));
        assert_eq!(text.read(Some("a b")), Ok(OptionValue::Text("a b".into())));
        assert_eq!(line("Clear Hash", OptionKind::Button).read(None), Ok(OptionValue::Pressed));
    }

    #[test]
    fn rejects_invalid_value_with_reason() {
        let error = |line: OptionLine, value| line.read(value).unwrap_err().to_string();
        let hash = || line("Hash", OptionKind::Spin { default: 16, min: 1, max: 64 });
        let expected = "for option `Hash`: expected a whole number from 1 to 64";
        assert_eq!(error(hash(), Some("65")), format!("invalid value `65` {expected}"));
        assert_eq!(error(hash(), Some("many")), format!("invalid value `many` {expected}"));
        assert_eq!(error(hash(), None), format!("missing value {expected}"));
        assert_eq!(
            error(colours(), Some("green")),
            "invalid value `green` for option `Colour`: expected one of Red, blue"
        );
        let check = line("Ponder", OptionKind::Check { default: true });
        assert_eq!(
            error(check, Some("yes")),
            "invalid value `yes` for option `Ponder`: expected `true` or `false`"
        );
        let button = line("Clear Hash", OptionKind::Button);
        assert_eq!(
            error(button, Some("1")),
            "invalid value `1` for option `Clear Hash`: expected no value for a button"
        );
    }

    #[test]
    fn default_is_a_value_of_the_option() {
        assert_eq!(colours().kind.default_value(), Some(OptionValue::Choice(0)));
        assert_eq!(OptionKind::Button.default_value(), None);
    }
}

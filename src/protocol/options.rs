//! Options as an engine lists them, and their values.

use std::fmt::{self, Display, Formatter};

use super::error::ParseReplyError;
use super::words::{Excerpt, Words};

/// How an empty text is written.
const EMPTY: &str = "<empty>";

/// One `option` line: `option name NAME type TYPE …`. `Display` prints it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct OptionLine {
    /// The name; `setoption` ignores its case.
    pub name: String,
    /// The type, with its default and range.
    pub kind: OptionKind,
}

/// The type of an option, with its default and range.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum OptionKind {
    /// `check`: `true` or `false`.
    Check {
        /// The value until another is set.
        default: bool,
    },
    /// `spin`: a whole number.
    Spin {
        /// The value until another is set.
        default: i64,
        /// The least value.
        min: i64,
        /// The greatest value.
        max: i64,
    },
    /// `combo`: one of several words.
    Combo {
        /// The value until another is set.
        default: String,
        /// The words.
        choices: Vec<String>,
    },
    /// `string`: any text; the empty one is written `<empty>`.
    Text {
        /// The value until another is set.
        default: String,
    },
    /// `button`: triggers an action; it has no value.
    Button,
}

/// A valid value of an option.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum OptionValue {
    /// Of a `check`.
    Check(bool),
    /// Of a `spin`, within its range.
    Spin(i64),
    /// Of a `combo`: the index of the word among its choices.
    Choice(usize),
    /// Of a `string`.
    Text(String),
    /// Of a `button`.
    Pressed,
}

/// Why an option cannot be set.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum OptionError {
    /// There is no option of that name.
    #[error("no option is called {name}: expected one that `uci` lists{}", suggestion(.suggestions))]
    Unknown {
        /// The name.
        name: Excerpt,
        /// The options that may be meant.
        suggestions: Vec<String>,
    },
    /// The value is missing or not valid for the option.
    #[error("{value} for option `{name}`: expected {expected}")]
    Value {
        /// What was given.
        value: GivenValue,
        /// The option.
        name: String,
        /// The values it may have.
        expected: String,
    },
}

impl OptionError {
    /// The error for a name that no option has, with the names of the options that may be meant.
    pub fn unknown(name: &str, suggestions: Vec<String>) -> OptionError {
        OptionError::Unknown { name: Excerpt::of(name), suggestions }
    }
}

fn suggestion(names: &[String]) -> String {
    if names.is_empty() { String::new() } else { format!(", such as `{}`", names.join("` and `")) }
}

/// What was given as the value of an option.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct GivenValue(Option<Excerpt>);

impl Display for GivenValue {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Some(value) => write!(f, "value {value}"),
            None => f.write_str("no value"),
        }
    }
}

impl OptionKind {
    /// The default as a value; `None` for a button, and for a combo whose default is not one of its choices.
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

    /// The values it may have, in words.
    fn expected(&self) -> String {
        match self {
            OptionKind::Check { .. } => "`true` or `false`".to_owned(),
            OptionKind::Spin { min, max, .. } => format!("a whole number from {min} to {max}"),
            OptionKind::Combo { choices, .. } => format!("one of {}", choices.join(", ")),
            OptionKind::Text { .. } => format!("a text, or `{EMPTY}`"),
            OptionKind::Button => "none, it is a button".to_owned(),
        }
    }
}

fn choice(choices: &[String], value: &str) -> Option<OptionValue> {
    choices.iter().position(|choice| choice.eq_ignore_ascii_case(value)).map(OptionValue::Choice)
}

impl OptionLine {
    /// Whether `name` names this option.
    pub fn is_called(&self, name: &str) -> bool {
        self.name.eq_ignore_ascii_case(name)
    }

    /// Reads the value of a `setoption`.
    ///
    /// # Errors
    /// [`OptionError::Value`] names the values that the option may have.
    pub fn read(&self, value: Option<&str>) -> Result<OptionValue, OptionError> {
        self.kind.read(value).ok_or_else(|| OptionError::Value {
            value: GivenValue(value.map(Excerpt::of)),
            name: self.name.clone(),
            expected: self.kind.expected(),
        })
    }

    /// Reads what follows the word `option`.
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
                // Only a `string` may have keywords in its default, and nothing follows it.
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
    fn values_in_range_are_read() {
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
    fn a_value_that_does_not_suit_is_refused_with_what_would() {
        let refusal = |line: OptionLine, value| line.read(value).unwrap_err().to_string();
        let hash = || line("Hash", OptionKind::Spin { default: 16, min: 1, max: 64 });
        let expected = "for option `Hash`: expected a whole number from 1 to 64";
        assert_eq!(refusal(hash(), Some("65")), format!("value `65` {expected}"));
        assert_eq!(refusal(hash(), Some("many")), format!("value `many` {expected}"));
        assert_eq!(refusal(hash(), None), format!("no value {expected}"));
        assert_eq!(
            refusal(colours(), Some("green")),
            "value `green` for option `Colour`: expected one of Red, blue"
        );
        let check = line("Ponder", OptionKind::Check { default: true });
        assert_eq!(
            refusal(check, Some("yes")),
            "value `yes` for option `Ponder`: expected `true` or `false`"
        );
        let button = line("Clear Hash", OptionKind::Button);
        assert_eq!(
            refusal(button, Some("1")),
            "value `1` for option `Clear Hash`: expected none, it is a button"
        );
    }

    #[test]
    fn the_default_suits_the_option() {
        assert_eq!(colours().kind.default_value(), Some(OptionValue::Choice(0)));
        assert_eq!(OptionKind::Button.default_value(), None);
    }
}

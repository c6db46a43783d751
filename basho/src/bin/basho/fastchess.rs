//! Translation of command lines of fastchess and cutechess-cli to those of `basho match`.
//!
//! Their options begin with one dash. Options with two dashes between them belong to basho and
//! stay. An option without a meaning here is ignored with a note. An unknown option is an error
//! that suggests the nearest one.

mod engine;
mod options;

use std::ffi::OsString;

use basho::printable::one_line;

use engine::Setting;
use options::{Arity, Meaning, OPTIONS};

/// A command line of basho, with notes on its translation.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Translation {
    /// Arguments, beginning with the program's name.
    pub arguments: Vec<OsString>,
    /// Notes on options that are ignored or read differently.
    pub notes: Vec<String>,
}

/// An argument that cannot be translated.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum ArgumentError {
    /// Unknown option.
    #[error("unknown option `{word}`; {hint}")]
    Option {
        /// The option as given.
        word: String,
        /// The nearest option, or the command that lists all.
        hint: String,
    },
    /// Unknown key of an option.
    #[error("{option}: unknown key `{key}`; {hint}")]
    Key {
        /// The option.
        option: &'static str,
        /// The key as given.
        key: String,
        /// The nearest key, or a list of all keys.
        hint: String,
    },
    /// An argument that is not UTF-8.
    #[error("`{0}` is not UTF-8; expected a text")]
    NotUtf8(String),
    /// An option with two dashes and no command before it.
    #[error("`{0}` stands before a command; expected `basho match {0} …` or `basho sprt {0} …`")]
    NoCommand(String),
    /// Wrong, missing or superfluous values of an option.
    #[error("{option}: expected {expected}, got {got}")]
    Value {
        /// The option.
        option: &'static str,
        /// The values that the option takes.
        expected: &'static str,
        /// The values as given, in quotes, or `nothing`.
        got: String,
    },
}

impl ArgumentError {
    fn value(option: &'static str, expected: &'static str, got: &[&str]) -> ArgumentError {
        let got = if got.is_empty() {
            "nothing".to_owned()
        } else {
            format!("`{}`", one_line(&got.join(" ")))
        };
        ArgumentError::Value { option, expected, got }
    }

    /// The error for a key that is not among the `known` keys of an option.
    fn unknown_key(option: &'static str, key: &str, known: &[&str]) -> ArgumentError {
        let hint =
            nearest(key, known.iter().copied()).map(|near| format!("did you mean `{near}`?"));
        let hint = hint.unwrap_or_else(|| format!("expected one of {}", known.join(", ")));
        ArgumentError::Key { option, key: one_line(key).into_owned(), hint }
    }
}

/// Translates a command line of fastchess, with or without `match` or `sprt` before it. Returns any
/// other command line unchanged.
///
/// # Errors
/// [`ArgumentError`] names the argument and what was expected.
pub fn translate(arguments: Vec<OsString>) -> Result<Translation, ArgumentError> {
    // Command lines of basho may hold paths that are not UTF-8, so this conversion cannot fail.
    let texts: Vec<_> = arguments.iter().map(|argument| argument.to_string_lossy()).collect();
    let texts: Vec<&str> = texts.iter().map(AsRef::as_ref).collect();
    let line = match texts.as_slice() {
        [_, "--compliance", engine @ ..] => {
            Some(Line { arguments: owned(["check"].iter().chain(engine)), ..Line::default() })
        }
        [_, command @ ("match" | "sprt"), rest @ ..] if rest.iter().any(|word| is_option(word)) => {
            expect_utf8(&arguments)?;
            Some(Line::translate(Some(command), rest)?)
        }
        [_, rest @ ..] if rest.first().is_some_and(|word| is_option(word)) => {
            expect_utf8(&arguments)?;
            Some(Line::translate(None, rest)?)
        }
        [_, word @ ("--engine" | "--each" | "--openings" | "--rounds" | "--sprt"), ..] => {
            return Err(ArgumentError::NoCommand((*word).to_owned()));
        }
        _ => None,
    };
    let Some(Line { arguments: translated, notes, .. }) = line else {
        return Ok(Translation { arguments, notes: Vec::new() });
    };
    let program = arguments.into_iter().take(1);
    Ok(Translation {
        arguments: program.chain(translated.into_iter().map(OsString::from)).collect(),
        notes,
    })
}

/// Fails with [`ArgumentError::NotUtf8`] at the first argument that is not UTF-8.
fn expect_utf8(arguments: &[OsString]) -> Result<(), ArgumentError> {
    let invalid = arguments.iter().find(|argument| argument.to_str().is_none());
    invalid.map_or(Ok(()), |argument| {
        Err(ArgumentError::NotUtf8(one_line(&argument.to_string_lossy()).into_owned()))
    })
}

/// Whether the word is an option with a single dash, except `-h` and `-V`, which basho has too.
fn is_option(word: &str) -> bool {
    let name = word.strip_prefix('-').unwrap_or_default();
    name.starts_with(|c: char| c.is_ascii_alphabetic()) && (name.len() > 1 || name == "v")
}

/// Whether the word ends the values of the option before it. A negative number does not.
fn is_next_option(word: &str) -> bool {
    word.strip_prefix('-').is_some_and(|name| !name.starts_with(|c: char| c.is_ascii_digit()))
}

fn owned<'a>(words: impl IntoIterator<Item = &'a &'a str>) -> Vec<String> {
    words.into_iter().map(|&word| word.to_owned()).collect()
}

/// Returns the candidate most similar to the word, if its similarity exceeds one half.
fn nearest<'a>(word: &str, candidates: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let word = word.trim_start_matches('-').to_ascii_lowercase();
    let similarity = |candidate: &str| {
        strsim::normalized_damerau_levenshtein(&word, candidate.trim_start_matches('-'))
    };
    let best = candidates
        .map(|candidate| (similarity(candidate), candidate))
        .max_by(|(a, _), (b, _)| a.total_cmp(b));
    best.filter(|(similarity, _)| *similarity > 0.5).map(|(_, candidate)| candidate)
}

/// State of the translation of one command line.
#[derive(Default, Debug)]
struct Line {
    /// Translated arguments.
    arguments: Vec<String>,
    notes: Vec<String>,
    /// Settings after each `-engine`.
    engines: Vec<Vec<Setting>>,
    /// Settings after `-each`, which override those of every engine.
    each: Vec<Setting>,
    rounds: Option<u64>,
    /// Games per round.
    games: Option<u64>,
    /// Whether `-sprt` is given.
    has_sprt: bool,
    /// Whether `-recover` is given.
    has_recover: bool,
}

impl Line {
    /// Translates the words after the program's name and the command, if any.
    fn translate(command: Option<&str>, words: &[&str]) -> Result<Line, ArgumentError> {
        let mut line = Line::default();
        let mut rest = words;
        while let [word, after @ ..] = rest {
            let count = after.iter().position(|word| is_next_option(word)).unwrap_or(after.len());
            let (values, next) = after.split_at_checked(count).unwrap_or((after, &[]));
            if !is_option(word) {
                line.arguments.extend(owned([word].into_iter().chain(values)));
            } else if let Some(replacement) = line.translate_option(word, values)? {
                return Ok(Line { arguments: owned(replacement), ..Line::default() });
            }
            rest = next;
        }
        line.finish(command)
    }

    /// Translates an option with its values. Returns the arguments that replace the whole line, if
    /// the option has that effect.
    fn translate_option(
        &mut self,
        word: &str,
        values: &[&str],
    ) -> Result<Option<&'static [&'static str]>, ArgumentError> {
        let Some((option, arity, meaning)) = OPTIONS.iter().find(|(option, ..)| *option == word)
        else {
            let near = nearest(word, OPTIONS.iter().map(|(option, ..)| *option).chain(OWN_OPTIONS));
            let hint = near.map(|near| format!("did you mean `{near}`?"));
            let hint = hint.unwrap_or_else(|| "`basho match --help` lists all".to_owned());
            return Err(ArgumentError::Option { word: one_line(word).into_owned(), hint });
        };
        arity.check(option, values)?;
        match meaning {
            Meaning::Renamed(own) => self.arguments.extend(owned([own].into_iter().chain(values))),
            Meaning::AlwaysOn => {}
            Meaning::ReplacesLine(arguments) => return Ok(Some(arguments)),
            Meaning::Ignored(reason) => self.note(format!("{option} is ignored: {reason}")),
            Meaning::Parsed(parse) => parse(self, option, values)?,
        }
        Ok(None)
    }

    /// Adds a note, unless it exists already.
    fn note(&mut self, note: String) {
        if !self.notes.contains(&note) {
            self.notes.push(note);
        }
    }

    /// Notes that a number replaces a different one given earlier.
    fn note_replaced(&mut self, option: &str, earlier: Option<u64>, now: u64) {
        if let Some(earlier) = earlier.filter(|&earlier| earlier != now) {
            self.note(format!(
                "{option}: {now} replaces the earlier {earlier}; the last number counts"
            ));
        }
    }

    /// Adds the arguments that depend on several options.
    fn finish(mut self, command: Option<&str>) -> Result<Line, ArgumentError> {
        if self.has_sprt && self.has_recover {
            self.note(RECOVER_NOTE.to_owned());
        }
        let command = command.unwrap_or(if self.has_sprt { "sprt" } else { "match" });
        let mut arguments = vec![command.to_owned()];
        let (engines, each) = (std::mem::take(&mut self.engines), std::mem::take(&mut self.each));
        for mut engine in engines.iter().cloned() {
            engine.retain(|own| !each.iter().any(|common| common.key == own.key));
            engine.extend(each.iter().cloned());
            arguments.push("--engine".to_owned());
            arguments.extend(engine::to_basho(engine)?);
        }
        if engines.is_empty() && !each.is_empty() {
            arguments.push("--each".to_owned());
            arguments.extend(engine::to_basho(each)?);
        }
        if let Some(pairs) = self.pairs()? {
            arguments.extend(["--rounds".to_owned(), pairs.to_string()]);
        }
        arguments.append(&mut self.arguments);
        self.arguments = arguments;
        Ok(self)
    }

    /// Number of pairs of games, if the line gives it.
    fn pairs(&mut self) -> Result<Option<u64>, ArgumentError> {
        let given = self.games.unwrap_or(2);
        // As in fastchess, `-rounds 1 -games 100` means a hundred games.
        let (rounds, games) =
            if given > 2 { (Some(given), self.rounds.unwrap_or(2)) } else { (self.rounds, given) };
        // Without `-rounds` a sequential test continues until it has decided.
        let rounds = rounds.or(self.has_sprt.then_some(MAX_SPRT_ROUNDS));
        match games {
            0 | 3.. => {
                Err(ArgumentError::value("-games", "1 or 2 games a round", &[&given.to_string()]))
            }
            1 => {
                let pairs = rounds.unwrap_or(2).div_ceil(2);
                self.note(format!(
                    "games come in pairs, one with each colour from the same opening: \
                     {pairs} pairs are played"
                ));
                Ok(Some(pairs))
            }
            _ => Ok(rounds),
        }
    }
}

/// Options of basho to suggest for an unknown one.
const OWN_OPTIONS: [&str; 5] = ["--into", "--shard", "--dry-run", "--live", "--tolerate-faults"];

/// Note on `-recover` with a sequential test.
const RECOVER_NOTE: &str =
    "-recover: a sequential test ends at an engine's fault; `--tolerate-faults N` tolerates N";

/// Rounds of a sequential test without `-rounds`, as in fastchess.
const MAX_SPRT_ROUNDS: u64 = 500_000;

impl Arity {
    /// Fails unless the option may have these values.
    fn check(self, option: &'static str, values: &[&str]) -> Result<(), ArgumentError> {
        let is_key_value = |word: &&str| {
            word.split_once('=').is_some_and(|(key, value)| !key.is_empty() && !value.is_empty())
        };
        let malformed = values.iter().find(|word| !is_key_value(word));
        let (is_valid, expected) = match self {
            Arity::None => (values.is_empty(), "no value"),
            Arity::One => (values.len() == 1, "one value"),
            Arity::KeyValues => (!values.is_empty() && malformed.is_none(), "key=value"),
            Arity::Any => (true, ""),
        };
        let given =
            malformed.filter(|_| self == Arity::KeyValues).map_or(values, std::slice::from_ref);
        if is_valid { Ok(()) } else { Err(ArgumentError::value(option, expected, given)) }
    }
}

#[cfg(test)]
mod tests;

//! Command lines of fastchess and cutechess-cli, with single dashes, in the words of `basho match`.
//!
//! What fastchess says in other words is translated, what has no meaning here is said once and left out, and what is unknown is an
//! error that names the nearest word. Options with two dashes between them are basho's own and stay as they are.

mod engine;
mod options;

use std::ffi::OsString;

use basho::printable::one_line;

use engine::Said;
use options::{Arity, Meaning, OPTIONS};

/// A command line in the words of basho, and what has to be said about it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Translation {
    /// The command line, the program's name first.
    pub words: Vec<OsString>,
    /// Sentences about what is ignored, or read in another way.
    pub notes: Vec<String>,
}

/// A word that cannot be translated.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum WordError {
    /// There is no such option.
    #[error("unknown option `{word}`; {hint}")]
    Option {
        /// What was given.
        word: String,
        /// The nearest option, or where all are listed.
        hint: String,
    },
    /// An option has no such key.
    #[error("{option}: unknown key `{key}`; {hint}")]
    Key {
        /// The option.
        option: &'static str,
        /// What was given.
        key: String,
        /// The nearest key, or all of them.
        hint: String,
    },
    /// A word that is no text.
    #[error("`{0}` is not UTF-8; expected a text")]
    NoText(String),
    /// An option with two dashes, which needs a command before it.
    #[error("`{0}` stands before a command; expected `basho match {0} …` or `basho sprt {0} …`")]
    NoCommand(String),
    /// A value of another kind, or none, or too many.
    #[error("{option}: expected {expected}, got {got}")]
    Value {
        /// The option.
        option: &'static str,
        /// What it takes.
        expected: &'static str,
        /// What was given, in quotes.
        got: String,
    },
}

impl WordError {
    fn value(option: &'static str, expected: &'static str, got: &[&str]) -> WordError {
        let got = if got.is_empty() {
            "nothing".to_owned()
        } else {
            format!("`{}`", one_line(&got.join(" ")))
        };
        WordError::Value { option, expected, got }
    }

    /// An unknown key of an option that has these.
    fn key(option: &'static str, key: &str, known: &[&str]) -> WordError {
        let hint =
            nearest(key, known.iter().copied()).map(|near| format!("did you mean `{near}`?"));
        let hint = hint.unwrap_or_else(|| format!("expected one of {}", known.join(", ")));
        WordError::Key { option, key: one_line(key).into_owned(), hint }
    }
}

/// The line in basho's words, if it is one of fastchess's: without a subcommand, or after `match` and `sprt`; any other as it is.
///
/// # Errors
/// [`WordError`] names the word and what was expected.
pub fn translate(words: Vec<OsString>) -> Result<Translation, WordError> {
    // In basho's own lines a name need not be a text.
    let texts: Vec<_> = words.iter().map(|word| word.to_string_lossy()).collect();
    let texts: Vec<&str> = texts.iter().map(AsRef::as_ref).collect();
    let line = match texts.as_slice() {
        [_, "--compliance", engine @ ..] => {
            Some(Line { words: owned(["check"].iter().chain(engine)), ..Line::default() })
        }
        [_, command @ ("match" | "sprt"), rest @ ..] if rest.iter().any(|word| is_option(word)) => {
            expect_texts(&words)?;
            Some(Line::read(Some(command), rest)?)
        }
        [_, rest @ ..] if rest.first().is_some_and(|word| is_option(word)) => {
            expect_texts(&words)?;
            Some(Line::read(None, rest)?)
        }
        [_, word @ ("--engine" | "--each" | "--openings" | "--rounds" | "--sprt"), ..] => {
            return Err(WordError::NoCommand((*word).to_owned()));
        }
        _ => None,
    };
    let Some(Line { words: translated, notes, .. }) = line else {
        return Ok(Translation { words, notes: Vec::new() });
    };
    let program = words.into_iter().take(1);
    Ok(Translation {
        words: program.chain(translated.into_iter().map(OsString::from)).collect(),
        notes,
    })
}

/// Refuses words that are no text.
fn expect_texts(words: &[OsString]) -> Result<(), WordError> {
    let strange = words.iter().find(|word| word.to_str().is_none());
    strange.map_or(Ok(()), |word| {
        Err(WordError::NoText(one_line(&word.to_string_lossy()).into_owned()))
    })
}

/// Whether the word is an option with a single dash, and none of basho's short ones, `-h` and `-V`.
fn is_option(word: &str) -> bool {
    let name = word.strip_prefix('-').unwrap_or_default();
    name.starts_with(|c: char| c.is_ascii_alphabetic()) && (name.len() > 1 || name == "v")
}

/// Whether the word ends the values of the option before it; a negative number does not.
fn is_next_option(word: &str) -> bool {
    word.strip_prefix('-').is_some_and(|name| !name.starts_with(|c: char| c.is_ascii_digit()))
}

fn owned<'a>(words: impl IntoIterator<Item = &'a &'a str>) -> Vec<String> {
    words.into_iter().map(|&word| word.to_owned()).collect()
}

/// The candidate that is most like the word, if one is like it at all.
fn nearest<'a>(word: &str, candidates: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let word = word.trim_start_matches('-').to_ascii_lowercase();
    let likeness = |candidate: &str| {
        strsim::normalized_damerau_levenshtein(&word, candidate.trim_start_matches('-'))
    };
    let best = candidates
        .map(|candidate| (likeness(candidate), candidate))
        .max_by(|(a, _), (b, _)| a.total_cmp(b));
    best.filter(|(likeness, _)| *likeness > 0.5).map(|(_, candidate)| candidate)
}

/// A line of fastchess as it is read.
#[derive(Default, Debug)]
struct Line {
    /// In basho's words.
    words: Vec<String>,
    notes: Vec<String>,
    /// What was said after each `-engine`.
    engines: Vec<Vec<Said>>,
    /// What was said after `-each`, which has the last word on every engine.
    each: Vec<Said>,
    rounds: Option<u64>,
    /// Games of a round.
    games: Option<u64>,
    /// Whether there is a sequential test.
    is_test: bool,
    /// Whether `-recover` is given.
    recovers: bool,
}

impl Line {
    /// Reads the words after the program's name and the subcommand, if there is one.
    fn read(command: Option<&str>, words: &[&str]) -> Result<Line, WordError> {
        let mut line = Line::default();
        let mut rest = words;
        while let [word, after @ ..] = rest {
            let count = after.iter().position(|word| is_next_option(word)).unwrap_or(after.len());
            let (values, next) = after.split_at_checked(count).unwrap_or((after, &[]));
            if !is_option(word) {
                line.words.extend(owned([word].into_iter().chain(values)));
            } else if let Some(whole) = line.take(word, values)? {
                return Ok(Line { words: owned(whole), ..Line::default() });
            }
            rest = next;
        }
        line.finish(command)
    }

    /// Takes an option with its values. If the whole line means something else then, that is returned.
    fn take(
        &mut self,
        word: &str,
        values: &[&str],
    ) -> Result<Option<&'static [&'static str]>, WordError> {
        let Some((option, arity, meaning)) = OPTIONS.iter().find(|(option, ..)| *option == word)
        else {
            let near = nearest(word, OPTIONS.iter().map(|(option, ..)| *option).chain(OWN));
            let hint = near.map(|near| format!("did you mean `{near}`?"));
            let hint = hint.unwrap_or_else(|| "`basho match --help` lists all".to_owned());
            return Err(WordError::Option { word: one_line(word).into_owned(), hint });
        };
        arity.check(option, values)?;
        match meaning {
            Meaning::Same(own) => self.words.extend(owned([own].into_iter().chain(values))),
            Meaning::Given => {}
            Meaning::Whole(words) => return Ok(Some(words)),
            Meaning::Ignored(why) => self.note(format!("{option} is ignored: {why}")),
            Meaning::Read(read) => read(self, option, values)?,
        }
        Ok(None)
    }

    /// Something to be said, once.
    fn note(&mut self, note: String) {
        if !self.notes.contains(&note) {
            self.notes.push(note);
        }
    }

    /// Says that a number took the place of another one, given before.
    fn note_of_another(&mut self, option: &str, before: Option<u64>, now: u64) {
        if let Some(before) = before.filter(|&before| before != now) {
            self.note(format!(
                "{option} says {now} where {before} was said before: the last number counts"
            ));
        }
    }

    /// Puts together what depends on several options.
    fn finish(mut self, command: Option<&str>) -> Result<Line, WordError> {
        if self.is_test && self.recovers {
            self.note(RECOVERY.to_owned());
        }
        let command = command.unwrap_or(if self.is_test { "sprt" } else { "match" });
        let mut words = vec![command.to_owned()];
        let (engines, each) = (std::mem::take(&mut self.engines), std::mem::take(&mut self.each));
        for mut engine in engines.iter().cloned() {
            engine.retain(|said| !each.iter().any(|common| common.key == said.key));
            engine.extend(each.iter().cloned());
            words.push("--engine".to_owned());
            words.extend(engine::in_own_words(engine)?);
        }
        if engines.is_empty() && !each.is_empty() {
            words.push("--each".to_owned());
            words.extend(engine::in_own_words(each)?);
        }
        if let Some(pairs) = self.pairs()? {
            words.extend(["--rounds".to_owned(), pairs.to_string()]);
        }
        words.append(&mut self.words);
        self.words = words;
        Ok(self)
    }

    /// The pairs of games, if the line says how many.
    fn pairs(&mut self) -> Result<Option<u64>, WordError> {
        let said = self.games.unwrap_or(2);
        // As fastchess does: who writes `-rounds 1 -games 100` means a hundred games.
        let (rounds, games) =
            if said > 2 { (Some(said), self.rounds.unwrap_or(2)) } else { (self.rounds, said) };
        // A sequential test that says nothing else goes on until it has decided.
        let rounds = rounds.or(self.is_test.then_some(LONGEST_TEST));
        match games {
            0 | 3.. => {
                Err(WordError::value("-games", "1 or 2 games a round", &[&said.to_string()]))
            }
            1 => {
                let pairs = rounds.unwrap_or(2).div_ceil(2);
                self.note(format!("games come in pairs, from one opening with either colour: {pairs} pairs are played"));
                Ok(Some(pairs))
            }
            _ => Ok(rounds),
        }
    }
}

/// Options of basho that fastchess does not have.
const OWN: [&str; 5] = ["--into", "--shard", "--dry-run", "--live", "--tolerate-faults"];

/// The note on `-recover` with a sequential test.
const RECOVERY: &str =
    "-recover: a sequential test ends at an engine's fault; `--tolerate-faults N` tolerates N";

/// The rounds of a sequential test in fastchess, if none are given.
const LONGEST_TEST: u64 = 500_000;

impl Arity {
    /// Whether an option may have these values.
    fn check(self, option: &'static str, values: &[&str]) -> Result<(), WordError> {
        let is_pair = |word: &&str| {
            word.split_once('=').is_some_and(|(key, value)| !key.is_empty() && !value.is_empty())
        };
        let wrong_pair = values.iter().find(|word| !is_pair(word));
        let (is_right, expected) = match self {
            Arity::None => (values.is_empty(), "no value"),
            Arity::One => (values.len() == 1, "one value"),
            Arity::Pairs => (!values.is_empty() && wrong_pair.is_none(), "key=value"),
            Arity::Any => (true, ""),
        };
        let named =
            wrong_pair.filter(|_| self == Arity::Pairs).map_or(values, std::slice::from_ref);
        if is_right { Ok(()) } else { Err(WordError::value(option, expected, named)) }
    }
}

#[cfg(test)]
mod tests;

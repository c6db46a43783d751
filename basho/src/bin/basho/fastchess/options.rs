//! Table of the options of fastchess and cutechess-cli, with their translations.

use std::thread;

use super::engine::Setting;
use super::{ArgumentError, Line};

/// Number and form of an option's values.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Arity {
    /// No value.
    None,
    /// One value.
    One,
    /// One or more `key=value`.
    KeyValues,
    /// Any number of words.
    Any,
}

/// Translation of an option.
pub enum Meaning {
    /// The same as this option of basho.
    Renamed(&'static str),
    /// No effect, because basho always does it.
    AlwaysOn,
    /// No effect, for this reason.
    Ignored(&'static str),
    /// These arguments replace the whole line.
    ReplacesLine(&'static [&'static str]),
    /// The function translates the values.
    Parsed(fn(&mut Line, &'static str, &[&str]) -> Result<(), ArgumentError>),
}

const RULES: &str = "the rules end every game";
const RECORDS: &str =
    "games are recorded in the tournament's folder; `basho sheet` and `basho convert` print them";
const TABLEBASES: &str = "there are no tablebases for these games";
const NO_EVENT: &str = "records and pages have no event and no site";
const RECORDED: &str = "scores and times are in the records";

/// All options, with their arity and meaning.
pub const OPTIONS: [(&str, Arity, Meaning); 55] = [
    ("-engine", Arity::KeyValues, Meaning::Parsed(engine)),
    ("-each", Arity::KeyValues, Meaning::Parsed(each)),
    ("-quick", Arity::KeyValues, Meaning::Parsed(quick)),
    ("-rounds", Arity::One, Meaning::Parsed(rounds)),
    ("-games", Arity::One, Meaning::Parsed(games)),
    ("-repeat", Arity::Any, Meaning::Parsed(repeat)),
    ("-noswap", Arity::None, Meaning::Ignored("both engines open once from every opening")),
    (
        "-reverse",
        Arity::None,
        Meaning::Ignored("the engine named first opens the first game of every pair"),
    ),
    ("-concurrency", Arity::One, Meaning::Parsed(concurrency)),
    ("-force-concurrency", Arity::None, Meaning::AlwaysOn),
    ("-openings", Arity::KeyValues, Meaning::Parsed(openings)),
    ("-bookmode", Arity::One, Meaning::Ignored("basho reads the whole file of openings")),
    ("-sprt", Arity::KeyValues, Meaning::Parsed(sprt)),
    ("-resign", Arity::KeyValues, Meaning::Renamed("--resign")),
    ("-draw", Arity::KeyValues, Meaning::Ignored(RULES)),
    ("-maxmoves", Arity::One, Meaning::Ignored(RULES)),
    ("-tb", Arity::One, Meaning::Ignored(TABLEBASES)),
    ("-tbpieces", Arity::One, Meaning::Ignored(TABLEBASES)),
    ("-tbignore50", Arity::None, Meaning::Ignored(TABLEBASES)),
    ("-tbadjudicate", Arity::One, Meaning::Ignored(TABLEBASES)),
    ("-tournament", Arity::One, Meaning::Renamed("--format")),
    ("-seeds", Arity::One, Meaning::Parsed(seeds)),
    ("-variant", Arity::One, Meaning::Renamed("--variant")),
    ("-srand", Arity::One, Meaning::Parsed(seed)),
    ("-seed", Arity::One, Meaning::Parsed(seed)),
    ("-ratinginterval", Arity::One, Meaning::Parsed(rating_interval)),
    ("-scoreinterval", Arity::One, Meaning::Ignored("the score of every game is printed")),
    ("-outcomeinterval", Arity::One, Meaning::Ignored("the score of every game is printed")),
    ("-resultformat", Arity::One, Meaning::Ignored("the lines are those of fastchess")),
    (
        "-autosaveinterval",
        Arity::One,
        Meaning::Ignored("every game is recorded as soon as it ends"),
    ),
    ("-report", Arity::KeyValues, Meaning::Parsed(report)),
    ("-output", Arity::KeyValues, Meaning::Parsed(output)),
    ("-pgnout", Arity::Any, Meaning::Ignored(RECORDS)),
    ("-epdout", Arity::Any, Meaning::Ignored(RECORDS)),
    ("-livepgnout", Arity::Any, Meaning::Ignored(RECORDS)),
    ("-crc32", Arity::KeyValues, Meaning::Ignored(RECORDS)),
    ("-event", Arity::Any, Meaning::Ignored(NO_EVENT)),
    ("-site", Arity::Any, Meaning::Ignored(NO_EVENT)),
    ("-config", Arity::KeyValues, Meaning::Parsed(config)),
    ("-recover", Arity::None, Meaning::Parsed(recover)),
    ("-strict", Arity::None, Meaning::Renamed("--strict")),
    ("-wait", Arity::One, Meaning::Ignored("the next game starts when one ends")),
    (
        "-use-affinity",
        Arity::Any,
        Meaning::Ignored(
            "the system schedules the processes; `taskset` pins basho and its engines",
        ),
    ),
    ("-log", Arity::KeyValues, Meaning::Parsed(log)),
    ("-debug", Arity::None, Meaning::Renamed("--verbose")),
    ("-testEnv", Arity::None, Meaning::AlwaysOn),
    ("-check-mate-pvs", Arity::None, Meaning::Ignored(RECORDED)),
    ("-show-latency", Arity::None, Meaning::Ignored(RECORDED)),
    ("-startup-ms", Arity::One, Meaning::Ignored(PATIENCE)),
    ("-ucinewgame-ms", Arity::One, Meaning::Ignored(PATIENCE)),
    ("-ping-ms", Arity::One, Meaning::Ignored(PATIENCE)),
    ("-compliance", Arity::Any, Meaning::Parsed(compliance)),
    ("-version", Arity::None, Meaning::ReplacesLine(&["--version"])),
    ("-v", Arity::None, Meaning::ReplacesLine(&["--version"])),
    ("-help", Arity::None, Meaning::ReplacesLine(&["match", "--help"])),
];

const PATIENCE: &str = "an engine's `patience=MS` limits how long basho waits for it";

/// Splits values into keys and values. Their arity has been checked.
fn key_values<'a>(values: &[&'a str]) -> impl Iterator<Item = (&'a str, &'a str)> {
    values.iter().filter_map(|word| word.split_once('='))
}

/// The settings of an engine after an option.
fn settings(option: &'static str, values: &[&str]) -> Vec<Setting> {
    key_values(values)
        .map(|(key, value)| Setting { option, key: key.to_owned(), value: value.to_owned() })
        .collect()
}

/// Parses the only value as a number.
fn number<T: std::str::FromStr>(option: &'static str, values: &[&str]) -> Result<T, ArgumentError> {
    let number = values.first().and_then(|value| value.parse().ok());
    number.ok_or_else(|| ArgumentError::value(option, "a number", values))
}

fn engine(line: &mut Line, option: &'static str, values: &[&str]) -> Result<(), ArgumentError> {
    line.engines.push(settings(option, values));
    Ok(())
}

fn each(line: &mut Line, option: &'static str, values: &[&str]) -> Result<(), ArgumentError> {
    line.each.extend(settings(option, values));
    Ok(())
}

/// `-quick`: two engines at 10+0.1 with a book, 25,000 rounds, on all cores but two.
fn quick(line: &mut Line, option: &'static str, values: &[&str]) -> Result<(), ArgumentError> {
    let (mut engines, mut books) = (0, 0);
    for (key, value) in key_values(values) {
        match key {
            "cmd" => {
                line.engines.push(settings(option, &[&format!("cmd={value}"), "tc=10+0.1"]));
                engines += 1;
            }
            "book" => {
                line.arguments.extend([
                    "--openings".to_owned(),
                    format!("file={value}"),
                    "order=random".to_owned(),
                ]);
                books += 1;
            }
            _ => return Err(ArgumentError::unknown_key(option, key, &["cmd", "book"])),
        }
    }
    if (engines, books) != (2, 1) {
        return Err(ArgumentError::value(option, "cmd=ENGINE cmd=ENGINE book=FILE", values));
    }
    line.rounds = Some(25_000);
    line.arguments.extend(["--concurrency".to_owned(), cores_except(2).to_string()]);
    Ok(())
}

fn rounds(line: &mut Line, option: &'static str, values: &[&str]) -> Result<(), ArgumentError> {
    let rounds = number(option, values)?;
    if rounds == 0 {
        return Err(ArgumentError::value(option, "1 or more", values));
    }
    let earlier = line.rounds.replace(rounds);
    line.note_replaced(option, earlier, rounds);
    Ok(())
}

fn games(line: &mut Line, option: &'static str, values: &[&str]) -> Result<(), ArgumentError> {
    let games = number(option, values)?;
    let earlier = line.games.replace(games);
    line.note_replaced(option, earlier, games);
    Ok(())
}

/// `-repeat` means `-games 2`, and `-repeat N` means `-games N`.
fn repeat(line: &mut Line, option: &'static str, values: &[&str]) -> Result<(), ArgumentError> {
    let games = if values.is_empty() { 2 } else { number(option, values)? };
    let earlier = line.games.replace(games);
    line.note_replaced(option, earlier, games);
    Ok(())
}

/// A number below 1 is the negative number of cores to leave idle.
fn concurrency(
    line: &mut Line,
    option: &'static str,
    values: &[&str],
) -> Result<(), ArgumentError> {
    let count: i64 = number(option, values)?;
    let count = usize::try_from(count).ok().filter(|&count| count > 0);
    let idle = || {
        values
            .first()
            .and_then(|value| value.trim_start_matches('-').parse().ok())
            .unwrap_or_default()
    };
    line.arguments.extend([
        "--concurrency".to_owned(),
        count.unwrap_or_else(|| cores_except(idle())).to_string(),
    ]);
    Ok(())
}

/// Number of cores without `idle` of them, at least 1.
fn cores_except(idle: usize) -> usize {
    thread::available_parallelism().map_or(1, usize::from).saturating_sub(idle).max(1)
}

fn openings(line: &mut Line, option: &'static str, values: &[&str]) -> Result<(), ArgumentError> {
    const KEYS: [&str; 8] =
        ["file", "format", "order", "plies", "start", "policy", "random_start", "random_plies"];
    line.arguments.push("--openings".to_owned());
    for (key, value) in key_values(values) {
        match (key, value) {
            ("format", "epd") | ("policy", "default" | "round") => {}
            ("format", "pgn") => line.note(format!(
                "{option} format=pgn is ignored: a file of openings has one opening per line"
            )),
            ("format", _) => return Err(ArgumentError::value(option, "format=epd", values)),
            ("policy", _) => return Err(ArgumentError::value(option, "policy=round", values)),
            _ if KEYS.contains(&key) => line.arguments.push(format!("{key}={value}")),
            _ => return Err(ArgumentError::unknown_key(option, key, &KEYS)),
        }
    }
    Ok(())
}

fn sprt(line: &mut Line, _: &'static str, values: &[&str]) -> Result<(), ArgumentError> {
    line.has_sprt = true;
    line.arguments.extend(super::owned(["--sprt"].iter().chain(values)));
    Ok(())
}

fn recover(line: &mut Line, _: &'static str, _: &[&str]) -> Result<(), ArgumentError> {
    line.has_recover = true;
    Ok(())
}

fn seeds(_: &mut Line, option: &'static str, values: &[&str]) -> Result<(), ArgumentError> {
    let error = ArgumentError::value(option, "1: the first engine plays the gauntlet", values);
    if number::<u64>(option, values)? == 1 { Ok(()) } else { Err(error) }
}

/// A seed of 64 bits is folded to 32 bits, so that both halves count.
fn seed(line: &mut Line, option: &'static str, values: &[&str]) -> Result<(), ArgumentError> {
    let seed: u64 = number(option, values)?;
    line.arguments.extend(["--seed".to_owned(), ((seed ^ (seed >> 32)) as u32).to_string()]);
    Ok(())
}

/// An interval of 0 turns the standings off.
fn rating_interval(
    line: &mut Line,
    option: &'static str,
    values: &[&str],
) -> Result<(), ArgumentError> {
    let interval: u64 = number(option, values)?;
    let interval = if interval == 0 { u64::from(u32::MAX) } else { interval };
    line.arguments.extend(["--ratinginterval".to_owned(), interval.to_string()]);
    Ok(())
}

fn report(line: &mut Line, option: &'static str, values: &[&str]) -> Result<(), ArgumentError> {
    for pair in key_values(values) {
        match pair {
            ("penta", "true") => {}
            ("penta", "false") => {
                line.note(format!("{option} penta=false is ignored: intervals come from pairs"))
            }
            ("penta", _) => return Err(ArgumentError::value(option, "penta=true", values)),
            (key, _) => return Err(ArgumentError::unknown_key(option, key, &["penta"])),
        }
    }
    Ok(())
}

fn output(line: &mut Line, option: &'static str, values: &[&str]) -> Result<(), ArgumentError> {
    for pair in key_values(values) {
        match pair {
            ("format", "fastchess") => {}
            ("format", "cutechess") => line.note(format!(
                "{option} format=cutechess is ignored: the lines are those of fastchess"
            )),
            ("format", _) => return Err(ArgumentError::value(option, "format=fastchess", values)),
            (key, _) => return Err(ArgumentError::unknown_key(option, key, &["format"])),
        }
    }
    Ok(())
}

fn config(line: &mut Line, option: &'static str, values: &[&str]) -> Result<(), ArgumentError> {
    const KEYS: [&str; 4] = ["file", "outname", "discard", "stats"];
    if let Some((key, _)) = key_values(values).find(|(key, _)| !KEYS.contains(key)) {
        return Err(ArgumentError::unknown_key(option, key, &KEYS));
    }
    let has = |wanted| key_values(values).any(|pair| pair == wanted);
    if key_values(values).any(|(key, _)| key == "file") && !has(("discard", "true")) {
        return Err(ArgumentError::value(
            option,
            "`basho resume DIR`, which continues the tournament of a folder",
            values,
        ));
    }
    line.note(format!(
        "{option} is ignored: `tournament.toml` in the tournament's folder holds its settings"
    ));
    Ok(())
}

/// Only engine logs exist here: all lines to and from engines.
fn log(line: &mut Line, option: &'static str, values: &[&str]) -> Result<(), ArgumentError> {
    const KEYS: [&str; 6] = ["file", "level", "append", "compress", "realtime", "engine"];
    let (mut file, mut logs_engines) = (None, false);
    for pair in key_values(values) {
        match pair {
            ("file", name) => file = Some(name),
            ("engine", "true") => logs_engines = true,
            ("level", "trace" | "info" | "warn" | "err" | "fatal") => {}
            ("append" | "compress" | "realtime" | "engine", "true" | "false") => {}
            (key, _) if !KEYS.contains(&key) => {
                return Err(ArgumentError::unknown_key(option, key, &KEYS));
            }
            ("level", _) => {
                return Err(ArgumentError::value(
                    option,
                    "level=trace, info, warn, err or fatal",
                    values,
                ));
            }
            _ => return Err(ArgumentError::value(option, "true or false", values)),
        }
    }
    match file.filter(|_| logs_engines) {
        Some(file) => line.arguments.extend(["--log".to_owned(), file.to_owned()]),
        None => line.note(format!(
            "{option} is ignored without file=FILE engine=true: basho logs only engine lines"
        )),
    }
    Ok(())
}

fn compliance(_: &mut Line, option: &'static str, values: &[&str]) -> Result<(), ArgumentError> {
    Err(ArgumentError::value(option, "`basho check ENGINE`", values))
}

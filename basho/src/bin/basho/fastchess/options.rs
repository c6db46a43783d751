//! The options of fastchess, with those that only cutechess-cli has, and what each means here.

use std::thread;

use super::engine::Said;
use super::{Line, WordError};

/// How many values an option has.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Arity {
    /// None.
    None,
    /// One.
    One,
    /// One `key=value` or more.
    Pairs,
    /// Any words.
    Any,
}

/// What an option means here.
pub enum Meaning {
    /// The same as this option of basho.
    Same(&'static str),
    /// What is done anyway.
    Given,
    /// Nothing, for this reason.
    Ignored(&'static str),
    /// That these words stand for the whole line.
    Whole(&'static [&'static str]),
    /// Something that this function finds out.
    Read(fn(&mut Line, &'static str, &[&str]) -> Result<(), WordError>),
}

const RULES: &str = "the rules end every game";
const RECORDS: &str =
    "games are recorded in the tournament's folder; `basho sheet` and `basho convert` print them";
const TABLEBASES: &str = "there are no tablebases for these games";
const UNNAMED: &str = "records and pages name no event and no site";
const CHECKED: &str = "scores and times are in the records";

/// All options.
pub const OPTIONS: [(&str, Arity, Meaning); 55] = [
    ("-engine", Arity::Pairs, Meaning::Read(engine)),
    ("-each", Arity::Pairs, Meaning::Read(each)),
    ("-quick", Arity::Pairs, Meaning::Read(quick)),
    ("-rounds", Arity::One, Meaning::Read(rounds)),
    ("-games", Arity::One, Meaning::Read(games)),
    ("-repeat", Arity::Any, Meaning::Read(repeat)),
    ("-noswap", Arity::None, Meaning::Ignored("both engines open once from every opening")),
    (
        "-reverse",
        Arity::None,
        Meaning::Ignored("the engine named first opens the first game of every pair"),
    ),
    ("-concurrency", Arity::One, Meaning::Read(concurrency)),
    ("-force-concurrency", Arity::None, Meaning::Given),
    ("-openings", Arity::Pairs, Meaning::Read(openings)),
    ("-bookmode", Arity::One, Meaning::Ignored("the whole file of openings is read")),
    ("-sprt", Arity::Pairs, Meaning::Read(sprt)),
    ("-resign", Arity::Pairs, Meaning::Same("--resign")),
    ("-draw", Arity::Pairs, Meaning::Ignored(RULES)),
    ("-maxmoves", Arity::One, Meaning::Ignored(RULES)),
    ("-tb", Arity::One, Meaning::Ignored(TABLEBASES)),
    ("-tbpieces", Arity::One, Meaning::Ignored(TABLEBASES)),
    ("-tbignore50", Arity::None, Meaning::Ignored(TABLEBASES)),
    ("-tbadjudicate", Arity::One, Meaning::Ignored(TABLEBASES)),
    ("-tournament", Arity::One, Meaning::Same("--format")),
    ("-seeds", Arity::One, Meaning::Read(seeds)),
    ("-variant", Arity::One, Meaning::Same("--variant")),
    ("-srand", Arity::One, Meaning::Read(seed)),
    ("-seed", Arity::One, Meaning::Read(seed)),
    ("-ratinginterval", Arity::One, Meaning::Read(rating_interval)),
    ("-scoreinterval", Arity::One, Meaning::Ignored("the score of every game is printed")),
    ("-outcomeinterval", Arity::One, Meaning::Ignored("the score of every game is printed")),
    ("-resultformat", Arity::One, Meaning::Ignored("the lines are those of fastchess")),
    (
        "-autosaveinterval",
        Arity::One,
        Meaning::Ignored("every game is recorded as soon as it ends"),
    ),
    ("-report", Arity::Pairs, Meaning::Read(report)),
    ("-output", Arity::Pairs, Meaning::Read(output)),
    ("-pgnout", Arity::Any, Meaning::Ignored(RECORDS)),
    ("-epdout", Arity::Any, Meaning::Ignored(RECORDS)),
    ("-livepgnout", Arity::Any, Meaning::Ignored(RECORDS)),
    ("-crc32", Arity::Pairs, Meaning::Ignored(RECORDS)),
    ("-event", Arity::Any, Meaning::Ignored(UNNAMED)),
    ("-site", Arity::Any, Meaning::Ignored(UNNAMED)),
    ("-config", Arity::Pairs, Meaning::Read(config)),
    ("-recover", Arity::None, Meaning::Read(recover)),
    ("-strict", Arity::None, Meaning::Same("--strict")),
    ("-wait", Arity::One, Meaning::Ignored("a game begins when another has ended")),
    (
        "-use-affinity",
        Arity::Any,
        Meaning::Ignored(
            "the system distributes the processes; `taskset` binds basho with its engines",
        ),
    ),
    ("-log", Arity::Pairs, Meaning::Read(log)),
    ("-debug", Arity::None, Meaning::Same("--verbose")),
    ("-testEnv", Arity::None, Meaning::Given),
    ("-check-mate-pvs", Arity::None, Meaning::Ignored(CHECKED)),
    ("-show-latency", Arity::None, Meaning::Ignored(CHECKED)),
    ("-startup-ms", Arity::One, Meaning::Ignored(PATIENCE)),
    ("-ucinewgame-ms", Arity::One, Meaning::Ignored(PATIENCE)),
    ("-ping-ms", Arity::One, Meaning::Ignored(PATIENCE)),
    ("-compliance", Arity::Any, Meaning::Read(compliance)),
    ("-version", Arity::None, Meaning::Whole(&["--version"])),
    ("-v", Arity::None, Meaning::Whole(&["--version"])),
    ("-help", Arity::None, Meaning::Whole(&["match", "--help"])),
];

const PATIENCE: &str = "`patience=MS` of an engine says how long to wait for it";

/// The keys and values of an option; its arity is checked.
fn pairs<'a>(values: &[&'a str]) -> impl Iterator<Item = (&'a str, &'a str)> {
    values.iter().filter_map(|word| word.split_once('='))
}

/// What an option says of an engine.
fn said(option: &'static str, values: &[&str]) -> Vec<Said> {
    pairs(values)
        .map(|(key, value)| Said { option, key: key.to_owned(), value: value.to_owned() })
        .collect()
}

/// The number that is the only value.
fn number<T: std::str::FromStr>(option: &'static str, values: &[&str]) -> Result<T, WordError> {
    let number = values.first().and_then(|value| value.parse().ok());
    number.ok_or_else(|| WordError::value(option, "a number", values))
}

fn engine(line: &mut Line, option: &'static str, values: &[&str]) -> Result<(), WordError> {
    line.engines.push(said(option, values));
    Ok(())
}

fn each(line: &mut Line, option: &'static str, values: &[&str]) -> Result<(), WordError> {
    line.each.extend(said(option, values));
    Ok(())
}

/// Two engines at 10+0.1 with a file of openings, for long.
fn quick(line: &mut Line, option: &'static str, values: &[&str]) -> Result<(), WordError> {
    let (mut engines, mut books) = (0, 0);
    for (key, value) in pairs(values) {
        match key {
            "cmd" => {
                line.engines.push(said(option, &[&format!("cmd={value}"), "tc=10+0.1"]));
                engines += 1;
            }
            "book" => {
                line.words.extend([
                    "--openings".to_owned(),
                    format!("file={value}"),
                    "order=random".to_owned(),
                ]);
                books += 1;
            }
            _ => return Err(WordError::key(option, key, &["cmd", "book"])),
        }
    }
    if (engines, books) != (2, 1) {
        return Err(WordError::value(option, "cmd=ENGINE cmd=ENGINE book=FILE", values));
    }
    line.rounds = Some(25_000);
    line.words.extend(["--concurrency".to_owned(), cores_but(2).to_string()]);
    Ok(())
}

fn rounds(line: &mut Line, option: &'static str, values: &[&str]) -> Result<(), WordError> {
    let rounds = number(option, values)?;
    if rounds == 0 {
        return Err(WordError::value(option, "1 or more", values));
    }
    let before = line.rounds.replace(rounds);
    line.note_of_another(option, before, rounds);
    Ok(())
}

fn games(line: &mut Line, option: &'static str, values: &[&str]) -> Result<(), WordError> {
    let games = number(option, values)?;
    let before = line.games.replace(games);
    line.note_of_another(option, before, games);
    Ok(())
}

/// `-repeat` is `-games 2`, `-repeat N` is `-games N`.
fn repeat(line: &mut Line, option: &'static str, values: &[&str]) -> Result<(), WordError> {
    let games = if values.is_empty() { 2 } else { number(option, values)? };
    let before = line.games.replace(games);
    line.note_of_another(option, before, games);
    Ok(())
}

/// A number below 1 leaves so many cores idle.
fn concurrency(line: &mut Line, option: &'static str, values: &[&str]) -> Result<(), WordError> {
    let count: i64 = number(option, values)?;
    let count = usize::try_from(count).ok().filter(|&count| count > 0);
    let idle = || {
        values
            .first()
            .and_then(|value| value.trim_start_matches('-').parse().ok())
            .unwrap_or_default()
    };
    line.words.extend([
        "--concurrency".to_owned(),
        count.unwrap_or_else(|| cores_but(idle())).to_string(),
    ]);
    Ok(())
}

fn cores_but(idle: usize) -> usize {
    thread::available_parallelism().map_or(1, usize::from).saturating_sub(idle).max(1)
}

fn openings(line: &mut Line, option: &'static str, values: &[&str]) -> Result<(), WordError> {
    const KEYS: [&str; 8] =
        ["file", "format", "order", "plies", "start", "policy", "random_start", "random_plies"];
    line.words.push("--openings".to_owned());
    for (key, value) in pairs(values) {
        match (key, value) {
            ("format", "epd") | ("policy", "default" | "round") => {}
            ("format", "pgn") => line.note(format!(
                "{option} format=pgn is ignored: a file of openings has one per line"
            )),
            ("format", _) => return Err(WordError::value(option, "format=epd", values)),
            ("policy", _) => return Err(WordError::value(option, "policy=round", values)),
            _ if KEYS.contains(&key) => line.words.push(format!("{key}={value}")),
            _ => return Err(WordError::key(option, key, &KEYS)),
        }
    }
    Ok(())
}

fn sprt(line: &mut Line, _: &'static str, values: &[&str]) -> Result<(), WordError> {
    line.is_test = true;
    line.words.extend(super::owned(["--sprt"].iter().chain(values)));
    Ok(())
}

fn recover(line: &mut Line, _: &'static str, _: &[&str]) -> Result<(), WordError> {
    line.recovers = true;
    Ok(())
}

fn seeds(_: &mut Line, option: &'static str, values: &[&str]) -> Result<(), WordError> {
    let refused = WordError::value(option, "1: the first engine plays the gauntlet", values);
    if number::<u64>(option, values)? == 1 { Ok(()) } else { Err(refused) }
}

/// Seeds have 32 bits here; of a longer one both halves count.
fn seed(line: &mut Line, option: &'static str, values: &[&str]) -> Result<(), WordError> {
    let seed: u64 = number(option, values)?;
    line.words.extend(["--seed".to_owned(), ((seed ^ (seed >> 32)) as u32).to_string()]);
    Ok(())
}

/// 0 means never.
fn rating_interval(
    line: &mut Line,
    option: &'static str,
    values: &[&str],
) -> Result<(), WordError> {
    let interval: u64 = number(option, values)?;
    let interval = if interval == 0 { u64::from(u32::MAX) } else { interval };
    line.words.extend(["--ratinginterval".to_owned(), interval.to_string()]);
    Ok(())
}

fn report(line: &mut Line, option: &'static str, values: &[&str]) -> Result<(), WordError> {
    for pair in pairs(values) {
        match pair {
            ("penta", "true") => {}
            ("penta", "false") => {
                line.note(format!("{option} penta=false is ignored: intervals come from pairs"))
            }
            ("penta", _) => return Err(WordError::value(option, "penta=true", values)),
            (key, _) => return Err(WordError::key(option, key, &["penta"])),
        }
    }
    Ok(())
}

fn output(line: &mut Line, option: &'static str, values: &[&str]) -> Result<(), WordError> {
    for pair in pairs(values) {
        match pair {
            ("format", "fastchess") => {}
            ("format", "cutechess") => line.note(format!(
                "{option} format=cutechess is ignored: the lines are those of fastchess"
            )),
            ("format", _) => return Err(WordError::value(option, "format=fastchess", values)),
            (key, _) => return Err(WordError::key(option, key, &["format"])),
        }
    }
    Ok(())
}

fn config(line: &mut Line, option: &'static str, values: &[&str]) -> Result<(), WordError> {
    const KEYS: [&str; 4] = ["file", "outname", "discard", "stats"];
    if let Some((key, _)) = pairs(values).find(|(key, _)| !KEYS.contains(key)) {
        return Err(WordError::key(option, key, &KEYS));
    }
    let has = |wanted| pairs(values).any(|pair| pair == wanted);
    if pairs(values).any(|(key, _)| key == "file") && !has(("discard", "true")) {
        return Err(WordError::value(
            option,
            "`basho resume DIR`, which goes on with the tournament of a folder",
            values,
        ));
    }
    line.note(format!(
        "{option} is ignored: `tournament.toml` in the tournament's folder holds its settings"
    ));
    Ok(())
}

/// The only log here is that of all lines to and from engines.
fn log(line: &mut Line, option: &'static str, values: &[&str]) -> Result<(), WordError> {
    const KEYS: [&str; 6] = ["file", "level", "append", "compress", "realtime", "engine"];
    let (mut file, mut is_of_engines) = (None, false);
    for pair in pairs(values) {
        match pair {
            ("file", name) => file = Some(name),
            ("engine", "true") => is_of_engines = true,
            ("level", "trace" | "info" | "warn" | "err" | "fatal") => {}
            ("append" | "compress" | "realtime" | "engine", "true" | "false") => {}
            (key, _) if !KEYS.contains(&key) => return Err(WordError::key(option, key, &KEYS)),
            ("level", _) => {
                return Err(WordError::value(
                    option,
                    "level=trace, info, warn, err or fatal",
                    values,
                ));
            }
            _ => return Err(WordError::value(option, "true or false", values)),
        }
    }
    match file.filter(|_| is_of_engines) {
        Some(file) => line.words.extend(["--log".to_owned(), file.to_owned()]),
        None => line.note(format!("{option} is ignored without file=FILE engine=true: only the lines of engines are logged")),
    }
    Ok(())
}

fn compliance(_: &mut Line, option: &'static str, values: &[&str]) -> Result<(), WordError> {
    Err(WordError::value(option, "`basho check ENGINE`", values))
}

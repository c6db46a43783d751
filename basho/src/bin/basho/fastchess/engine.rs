//! What fastchess says of an engine, after `-engine` and `-each`.

use std::path::Path;

use super::WordError;

/// A key of an engine with its value.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Said {
    /// The option after which it stands.
    pub option: &'static str,
    /// The key.
    pub key: String,
    /// Its value.
    pub value: String,
}

/// The keys that fastchess has, and those of basho.
const KEYS: [&str; 15] = [
    "cmd",
    "name",
    "args",
    "dir",
    "stderr",
    "tc",
    "st",
    "movetime",
    "nodes",
    "depth",
    "plies",
    "timemargin",
    "patience",
    "restart",
    "proto",
];

/// The keys and values of one engine as words of basho.
pub fn in_own_words(pairs: Vec<Said>) -> Result<Vec<String>, WordError> {
    let dir = pairs.iter().find(|said| said.key == "dir").map(|said| said.value.clone());
    let mut words = Vec::with_capacity(pairs.len());
    let (mut endless, mut is_limited) = (None, false);
    for Said { option, key, value } in pairs {
        let is_endless = key == "tc";
        match translate(option, &key, value, dir.as_deref())? {
            Some((key, value)) => {
                is_limited |= LIMITS.contains(&key) || value.starts_with("builtin:");
                words.push(format!("{key}={value}"));
            }
            None if is_endless => endless = Some(option),
            None => {}
        }
    }
    match endless.filter(|_| !is_limited) {
        Some(option) => Err(WordError::value(
            option,
            "nodes=N, depth=N or st=SECONDS beside it, or a search has no end",
            &["tc=inf"],
        )),
        None => Ok(words),
    }
}

/// What ends a search, in basho's words.
const LIMITS: [&str; 4] = ["tc", "movetime", "nodes", "depth"];

/// A key and its value in basho's words; `None` if it says nothing.
fn translate<'a>(
    option: &'static str,
    key: &'a str,
    value: String,
    dir: Option<&str>,
) -> Result<Option<(&'a str, String)>, WordError> {
    let refused = |expected| WordError::value(option, expected, &[&format!("{key}={value}")]);
    let pair = match (key, value.as_str()) {
        ("cmd", _) => (key, in_dir(value, dir)),
        // Limits of other kinds may stand beside it.
        ("tc", "inf" | "infinite") | ("proto", "uci") => return Ok(None),
        ("tc", clock) if clock.contains("hg") => return Err(refused("a clock: no hourglass")),
        ("tc", clock) => (key, in_seconds(clock)),
        ("st", seconds) => {
            ("movetime", milliseconds(seconds).ok_or_else(|| refused("st=SECONDS, 0.001 or more"))?)
        }
        ("plies", _) => ("depth", value),
        ("restart", "on") => (key, true.to_string()),
        ("restart", "off" | "auto") => (key, false.to_string()),
        ("restart", _) => return Err(refused("restart=on or restart=off")),
        ("proto", _) => return Err(refused("proto=uci")),
        _ if KEYS.contains(&key)
            || key.strip_prefix("option.").is_some_and(|name| !name.is_empty()) =>
        {
            (key, value)
        }
        _ => return Err(WordError::key(option, key, &KEYS)),
    };
    Ok(Some(pair))
}

/// The program of a `cmd` that fastchess looks up in `dir`.
fn in_dir(cmd: String, dir: Option<&str>) -> String {
    match dir {
        Some(dir) if !cmd.starts_with("builtin:") => Path::new(dir)
            .join(cmd.strip_prefix("./").unwrap_or(&cmd))
            .to_string_lossy()
            .into_owned(),
        _ => cmd,
    }
}

/// A time control without the `s` that may stand after seconds.
fn in_seconds(clock: &str) -> String {
    let bare = |seconds: &str| seconds.strip_suffix('s').unwrap_or(seconds).to_owned();
    match clock.split_once('+') {
        Some((base, increment)) => format!("{}+{}", bare(base), bare(increment)),
        None => bare(clock),
    }
}

fn milliseconds(seconds: &str) -> Option<String> {
    let seconds: f64 = seconds.strip_suffix('s').unwrap_or(seconds).parse().ok()?;
    let milliseconds = (seconds * 1000.0).round();
    (1.0..=f64::from(u32::MAX)).contains(&milliseconds).then(|| (milliseconds as u32).to_string())
}

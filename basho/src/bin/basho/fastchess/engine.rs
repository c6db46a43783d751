//! Translation of the settings after `-engine` and `-each`.

use std::path::Path;

use super::ArgumentError;

/// A `key=value` argument of an engine.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Setting {
    /// The option that it follows.
    pub option: &'static str,
    /// Key.
    pub key: String,
    /// Value.
    pub value: String,
}

/// Known keys: those of fastchess and those of basho.
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

/// Translates the settings of one engine to arguments of basho.
pub fn to_basho(settings: Vec<Setting>) -> Result<Vec<String>, ArgumentError> {
    let dir =
        settings.iter().find(|setting| setting.key == "dir").map(|setting| setting.value.clone());
    let mut arguments = Vec::with_capacity(settings.len());
    let (mut infinite, mut is_limited) = (None, false);
    for Setting { option, key, value } in settings {
        let is_clock = key == "tc";
        match translate(option, &key, value, dir.as_deref())? {
            Some((key, value)) => {
                is_limited |= LIMITS.contains(&key) || value.starts_with("builtin:");
                arguments.push(format!("{key}={value}"));
            }
            None if is_clock => infinite = Some(option),
            None => {}
        }
    }
    match infinite.filter(|_| !is_limited) {
        Some(option) => Err(ArgumentError::value(
            option,
            "nodes=N, depth=N or st=SECONDS as well, to end the search",
            &["tc=inf"],
        )),
        None => Ok(arguments),
    }
}

/// Keys of basho that limit a search.
const LIMITS: [&str; 4] = ["tc", "movetime", "nodes", "depth"];

/// Translates a key and its value. Returns `None` if they have no effect.
fn translate<'a>(
    option: &'static str,
    key: &'a str,
    value: String,
    dir: Option<&str>,
) -> Result<Option<(&'a str, String)>, ArgumentError> {
    let invalid = |expected| ArgumentError::value(option, expected, &[&format!("{key}={value}")]);
    let pair = match (key, value.as_str()) {
        ("cmd", _) => (key, in_dir(value, dir)),
        // Other limits may end the search; `to_basho` requires one.
        ("tc", "inf" | "infinite") | ("proto", "uci") => return Ok(None),
        ("tc", clock) if clock.contains("hg") => {
            return Err(invalid("a clock without an hourglass"));
        }
        ("tc", clock) => (key, without_unit(clock)),
        ("st", seconds) => {
            ("movetime", milliseconds(seconds).ok_or_else(|| invalid("st=SECONDS, 0.001 or more"))?)
        }
        ("plies", _) => ("depth", value),
        ("restart", "on") => (key, true.to_string()),
        ("restart", "off" | "auto") => (key, false.to_string()),
        ("restart", _) => return Err(invalid("restart=on or restart=off")),
        ("proto", _) => return Err(invalid("proto=uci")),
        _ if KEYS.contains(&key)
            || key.strip_prefix("option.").is_some_and(|name| !name.is_empty()) =>
        {
            (key, value)
        }
        _ => return Err(ArgumentError::unknown_key(option, key, &KEYS)),
    };
    Ok(Some(pair))
}

/// Resolves a `cmd` relative to `dir`, as fastchess does.
fn in_dir(cmd: String, dir: Option<&str>) -> String {
    match dir {
        Some(dir) if !cmd.starts_with("builtin:") => Path::new(dir)
            .join(cmd.strip_prefix("./").unwrap_or(&cmd))
            .to_string_lossy()
            .into_owned(),
        _ => cmd,
    }
}

/// Removes the unit `s` after the seconds of a time control.
fn without_unit(clock: &str) -> String {
    let bare = |seconds: &str| seconds.strip_suffix('s').unwrap_or(seconds).to_owned();
    match clock.split_once('+') {
        Some((base, increment)) => format!("{}+{}", bare(base), bare(increment)),
        None => bare(clock),
    }
}

/// Parses a number of seconds, with or without the unit `s`, to milliseconds.
fn milliseconds(seconds: &str) -> Option<String> {
    let seconds: f64 = seconds.strip_suffix('s').unwrap_or(seconds).parse().ok()?;
    let milliseconds = (seconds * 1000.0).round();
    (1.0..=f64::from(u32::MAX)).contains(&milliseconds).then(|| (milliseconds as u32).to_string())
}

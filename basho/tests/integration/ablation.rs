//! The presets in `tournaments/ablation` and the script that summarises their runs.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use basho::config::Tournament;
use basho::record::{GameRecord, Reason};
use basho::sheet::GameScore;
use tempfile::TempDir;

use crate::support::runner::{BASHO, basho, records, stderr, stdout};

const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/..");

/// Reads the presets, by their names.
fn presets() -> Vec<(String, Tournament)> {
    let folder = Path::new(ROOT).join("tournaments/ablation");
    let paths = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    paths
        .filter(|path| path.extension() == Some(OsStr::new("toml")))
        .map(|path| {
            let name = path.file_stem().unwrap().to_str().unwrap().to_owned();
            (name, Tournament::read(&path).unwrap())
        })
        .collect()
}

/// Returns the only option of the engine without the mechanism, and its value.
fn option_without(tournament: &Tournament) -> (&str, &str) {
    let options = &tournament.engines[0].option;
    assert_eq!(options.len(), 1);
    let (name, value) = options.first_key_value().unwrap();
    (name, &value.0)
}

/// The parameters of the search: name, type and default.
fn parameters() -> Vec<(String, String, String)> {
    let text = fs::read_to_string(Path::new(ROOT).join("src/search/params.rs")).unwrap();
    let fields = |line: &str| {
        let (name, rest) = line.strip_prefix("    ")?.strip_suffix(';')?.split_once(": ")?;
        let (kind, rest) = rest.split_once(" = ")?;
        let (default, _) = rest.split_once(", ")?;
        Some([name, kind, default].map(str::to_owned).into())
    };
    text.lines().filter_map(fields).collect()
}

#[test]
fn presets_are_named_after_mechanism_and_variant() {
    let parameters: BTreeSet<String> = parameters().into_iter().map(|(name, ..)| name).collect();
    for (name, tournament) in presets() {
        let (option, _) = option_without(&tournament);
        assert!(parameters.contains(option), "{name}: unknown parameter {option}");
        let variant: &str = tournament.variant.0.into();
        let variant = variant.trim_start_matches("kamisado-");
        assert_eq!(name, format!("{}-{variant}", option.replace('_', "-")));
    }
}

#[test]
fn presets_differ_only_in_the_mechanism() {
    for (name, tournament) in presets() {
        let engines = tournament.engines().unwrap();
        let names: Vec<&str> = engines.iter().map(|engine| engine.name.as_str()).collect();
        assert_eq!(names, ["without", "with"], "{name}");
        assert_eq!(engines[0].program, engines[1].program, "{name}");
        assert_eq!(engines[0].limit, engines[1].limit, "{name}");
        let (option, _) = option_without(&tournament);
        let mut options = engines[0].options.clone();
        options.remove(option);
        assert_eq!(options, engines[1].options, "{name}");
        assert!(tournament.sprt.is_some(), "{name}");
    }
}

#[test]
fn every_switch_has_a_preset_that_turns_it_off() {
    let presets = presets();
    let switched: BTreeSet<_> =
        presets.iter().map(|(_, tournament)| option_without(tournament)).collect();
    let parameters = parameters();
    let switches = parameters.iter().filter(|(_, kind, _)| kind == "bool");
    let off = |default: &str| if default == "true" { "false" } else { "true" };
    let expected: Vec<_> =
        switches.map(|(name, _, default)| (name.as_str(), off(default))).collect();
    assert!(!expected.is_empty());
    for switch in expected {
        assert!(switched.contains(&switch), "expected a preset with {} = {}", switch.0, switch.1);
    }
}

/// The run of a preset: four pairs between two built-in players, recorded as if an engine without
/// payoffs had played against one with them at 60 nodes a move.
struct Run(TempDir);

const TOURNAMENT: &str = r#"
variant = "kamisado-simple"
rounds = 4
concurrency = 1
seed = 1
openings = { random_start = true }
sprt = { elo0 = -5, elo1 = 0 }
[[engine]]
name = "without"
cmd = "builtin:greedy"
[[engine]]
name = "with"
cmd = "builtin:greedy"
"#;

impl Run {
    fn new() -> Run {
        let run = Run(tempfile::tempdir().unwrap());
        let config = run.0.path().join("preset.toml");
        fs::write(&config, TOURNAMENT).unwrap();
        basho(&["run", config.to_str().unwrap()], &run.path(""));
        // A built-in player has neither limits nor options.
        run.replace("tournament.toml", "[tournament.each]\n", "[tournament.each]\nnodes = 60\n");
        let option = "name = \"without\"\n\n[tournament.engine.option]\npayoffs = \"false\"\n";
        run.replace("tournament.toml", "name = \"without\"\n", option);
        run
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join("run").join(name)
    }

    /// Replaces a text that occurs in a file.
    fn replace(&self, name: &str, old: &str, new: &str) {
        let text = fs::read_to_string(self.path(name)).unwrap();
        assert!(text.contains(old), "{name} lacks {old}");
        fs::write(self.path(name), text.replacen(old, new, 1)).unwrap();
    }

    fn write(&self, games: &[GameRecord]) {
        let lines = games.iter().map(|game| serde_json::to_string(game).unwrap() + "\n");
        fs::write(self.path("games.jsonl"), lines.collect::<String>()).unwrap();
    }

    /// Summarises the run. `None` without a Python that can run the script.
    fn summarise(&self) -> Option<Output> {
        let can_run = Command::new("python3").args(["-c", "import tomllib"]).output();
        can_run.ok().filter(|output| output.status.success())?;
        let script = Path::new(ROOT).join("tournaments/ablation/summary.py");
        let mut command = Command::new("python3");
        command.arg("-B").arg(script).arg("run").current_dir(self.0.path());
        Some(command.env("OSHI_BUILD", Path::new(BASHO).parent().unwrap()).output().unwrap())
    }

    /// Asserts that the last three cells of the summary are LLR, verdict and faults.
    fn assert_ends_with(&self, expected: [&str; 3]) {
        let Some(output) = self.summarise() else { return };
        assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
        let expected = format!("| {} |\n", expected.join(" | "));
        assert!(stdout(&output).ends_with(&expected), "{}\n{expected}", stdout(&output));
    }

    /// Asserts that the script rejects the run in one line that names a file and a reason.
    fn assert_rejected(&self, file: &str, reason: &str) {
        let Some(output) = self.summarise() else { return };
        let message = stderr(&output);
        assert_eq!((output.status.code(), stdout(&output).as_str()), (Some(1), ""), "{message}");
        assert!(message.starts_with(&format!("error: run/{file}: ")), "{message}");
        assert!(message.contains(reason) && message.lines().count() == 1, "{message}");
    }
}

#[test]
fn summarises_recorded_run() {
    let Some(output) = Run::new().summarise() else { return };
    assert_eq!(stderr(&output), "");
    let expected = "\
| mechanism off | variant | limit | games | score without % | 95 % interval | LLR | verdict \
| faults |
| --- | --- | --- | --- | --- | --- | --- | --- | --- |
| `payoffs = false` | simple | 60 nodes | 8 | 50.0 | 15.4 to 84.6 | 0.00 | undecided | 0 |
";
    assert_eq!(stdout(&output), expected);
}

#[test]
fn summarises_verdict_in_words() {
    for (bounds, expected) in [
        (["-1000.0", "0.0"], ["4.15", "no gain: remove it", "0"]),
        (["600.0", "1500.0"], ["-3.03", "gains: keep it", "0"]),
    ] {
        let run = Run::new();
        run.replace("tournament.toml", "elo0 = -5.0", &format!("elo0 = {}", bounds[0]));
        run.replace("tournament.toml", "elo1 = 0.0", &format!("elo1 = {}", bounds[1]));
        run.assert_ends_with(expected);
    }
}

#[test]
fn summarises_clock_and_threads() {
    let run = Run::new();
    run.replace("tournament.toml", "nodes = 60", "tc = \"2+0.02\"");
    run.replace("tournament.toml", "\n\n[[", "\noption = { Threads = \"2\" }\n\n[[");
    let Some(output) = run.summarise() else { return };
    assert!(stdout(&output).contains("| tc 2+0.02, 2 threads |"), "{}", stdout(&output));
}

#[test]
fn summarises_unfinished_run() {
    let run = Run::new();
    let games = records(&run.path(""));
    run.write(&games[..2]);
    run.assert_ends_with(["0.02", "not finished", "0"]);
    run.write(&[]);
    run.assert_ends_with(["0.00", "not finished", "0"]);
}

#[test]
fn counts_faults() {
    let run = Run::new();
    let mut games = records(&run.path(""));
    let game = &mut games[0];
    assert_eq!(game.result, GameScore::BlackWins, "Black makes the last move");
    game.moves.pop();
    (game.result, game.reason) = (GameScore::WhiteWins, Reason::Crash);
    run.write(&games);
    run.assert_ends_with(["0.00", "none: ended by a fault", "1"]);
}

#[test]
fn rejects_damaged_run_in_one_line() {
    for (file, old, new, reason) in [
        ("games.jsonl", "\"game\":1,", "\"game\":}", "line 1"),
        ("games.jsonl", "\"result\":\"1-0\"", "\"result\":\"0-1\"", "line 1"),
        ("tournament.toml", "variant =", "variant", "line 5"),
        ("tournament.toml", "elo0 = -5.0", "elo0 = 'a'", "line 17"),
        ("tournament.toml", "name = \"without\"", "label = \"dev\"", "expected a tournament"),
        ("tournament.toml", "\"without\"", "\"dev\"", "expected the engines"),
        ("tournament.toml", "[tournament.sprt]", "[sprt]", "expected a sequential test"),
        ("tournament.toml", "\"without\"", "\"without\"\nnodes = 50", "expected the same limits"),
    ] {
        let run = Run::new();
        run.replace(file, old, new);
        run.assert_rejected(file, reason);
    }
    for name in ["games.jsonl", "tournament.toml"] {
        let run = Run::new();
        fs::remove_file(run.path(name)).unwrap();
        run.assert_rejected(name, "o such file");
    }
}

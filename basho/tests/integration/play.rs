//! Whole tournaments between real engines: the same games at any concurrency, the exit codes, the check, the presets.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};

use basho::config::Tournament;
use basho::record::Reason;
use basho::records::live::LiveGame;
use basho::sheet::GameScore;

use crate::support::mock::{mock, script};
use crate::support::program::oshi;
use crate::support::runner::{BASHO, basho, games};

fn stdout(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).unwrap()
}

#[test]
fn plays_same_games_at_any_concurrency() {
    let temp = tempfile::tempdir().unwrap();
    let engine = format!("cmd={oshi}", oshi = oshi());
    let play = |concurrency: &str| {
        let dir = temp.path().join(concurrency);
        let words = [
            "match",
            "--engine",
            &engine,
            "name=a",
            "--engine",
            &engine,
            "name=b",
            "nodes=60",
            "--engine",
            "cmd=builtin:greedy",
        ];
        let more = [
            "--each",
            "nodes=100",
            "--rounds",
            "3",
            "--seed",
            "3",
            "--openings",
            "random_start=true",
            "random_plies=2",
        ];
        let output =
            basho(&[words.as_slice(), &more, &["--concurrency", concurrency]].concat(), &dir);
        assert_eq!(output.status.code(), Some(0));
        let report = Command::new(BASHO).args(["report", "--games"]).arg(&dir).output().unwrap();
        (games(&dir), stdout(&report))
    };
    let (alone, together) = (play("1"), play("2"));
    assert_eq!(alone.0.len(), 18);
    assert_eq!(alone, together);
    let seeds: BTreeSet<Option<u64>> = alone.0.iter().map(|game| game.black.seed).collect();
    assert!(seeds.len() > 9, "engines get seeds of their own");
}

#[test]
fn records_hold_nodes_scores_and_times() {
    let temp = tempfile::tempdir().unwrap();
    let dir = temp.path().join("run");
    let engine = format!("cmd={oshi}", oshi = oshi());
    let words = [
        "match",
        "--engine",
        &engine,
        "nodes=50",
        "option.Hash=3",
        "--engine",
        "cmd=builtin:random",
        "--rounds",
        "1",
    ];
    assert_eq!(basho(&words, &dir).status.code(), Some(0));
    let games = games(&dir);
    assert_eq!(games.len(), 2);
    assert_eq!(games[0].black.options.get("Hash").map(String::as_str), Some("3"));
    assert_eq!(
        games[0].black.options.get("Threads").map(String::as_str),
        Some("1"),
        "defaults that matter are recorded"
    );
    assert!(
        games[0].moves[0].nodes.is_some() && games[0].moves[0].score.is_some(),
        "{:?}",
        games[0].moves[0]
    );
    #[cfg(target_os = "linux")]
    assert!(std::fs::read_to_string(dir.join("games.jsonl")).unwrap().contains("\"cpu_ms\":"));
}

#[test]
fn writes_game_in_progress_for_spectators() {
    let temp = tempfile::tempdir().unwrap();
    let (dir, seen) = (temp.path().join("run"), temp.path().join("seen"));
    let live = dir.join("live").join("1.json");
    let go = format!(
        "until [ -e {live} ]; do :; done; cp -n {live} {seen}; echo bestmove a1a5",
        live = live.display(),
        seen = seen.display()
    );
    let path = script(temp.path(), "mock.sh", &mock(&go));
    let args = format!("args={}", path.display());
    let words = [
        "match",
        "--live",
        "--engine",
        "cmd=sh",
        &args,
        "name=a",
        "movetime=60000",
        "--engine",
        "cmd=builtin:random",
        "--rounds",
        "1",
    ];
    assert_eq!(basho(&words, &dir).status.code(), Some(0));
    let game: LiveGame = serde_json::from_slice(&std::fs::read(seen).unwrap()).unwrap();
    assert_eq!(
        (game.game, game.players, game.moves.len()),
        (1, ["a".to_owned(), "random".to_owned()], 0)
    );
    assert!(!dir.join("live").exists(), "nothing is left when all games are over");
}

#[test]
fn records_score_of_best_line() {
    let temp = tempfile::tempdir().unwrap();
    let says = "echo 'info depth 1 multipv 1 score cp 11 nodes 5 pv a1a5'; echo 'info depth 1 multipv 2 score cp -22 nodes 5 pv a1a4'; \
                echo 'info depth 2 multipv 1 score cp -900 upperbound nodes 9 pv a1a5'; echo 'info string a final score of 50'; echo 'bestmove a1a5'";
    let path = script(temp.path(), "mock.sh", &mock(says));
    let args = format!("args={}", path.display());
    let words = [
        "match",
        "--engine",
        "cmd=sh",
        &args,
        "movetime=60000",
        "--engine",
        "cmd=builtin:random",
        "--rounds",
        "1",
    ];
    assert_eq!(basho(&words, &temp.path().join("run")).status.code(), Some(0));
    assert_eq!(games(&temp.path().join("run"))[0].moves[0].score.as_deref(), Some("cp 11"));
}

#[test]
fn simultaneous_starts_use_different_folders() {
    let temp = tempfile::tempdir().unwrap();
    let words = [
        "match",
        "--engine",
        "cmd=builtin:random",
        "--engine",
        "cmd=builtin:greedy",
        "--rounds",
        "3",
    ];
    let start = || {
        Command::new(BASHO)
            .args(words)
            .current_dir(temp.path())
            .stdout(Stdio::null())
            .spawn()
            .unwrap()
    };
    let mut started: Vec<Child> = (0..6).map(|_| start()).collect();
    assert!(started.iter_mut().all(|child| child.wait().unwrap().success()));
    for name in ["match", "match-2", "match-3", "match-4", "match-5", "match-6"] {
        assert_eq!(games(&temp.path().join("runs").join(name)).len(), 6, "{name}");
    }
    assert_eq!(std::fs::read_dir(temp.path().join("runs")).unwrap().count(), 6, "no draft is left");
}

#[test]
fn prints_name_on_one_line() {
    let temp = tempfile::tempdir().unwrap();
    let file = temp.path().join("names.toml");
    let engines = "[[engine]]\ncmd = 'builtin:random'\nname = \"x\\nFinished game\"\n[[engine]]\ncmd = 'builtin:greedy'\n";
    for more in ["", "[[engine]]\ncmd = 'builtin:greedy'\nname = 'third'\n"] {
        std::fs::write(&file, format!("rounds = 1\n{engines}{more}")).unwrap();
        let dir = temp.path().join(format!("run{}", more.len()));
        let played = basho(&["run", &file.display().to_string()], &dir);
        assert_eq!(played.status.code(), Some(0));
        let report = Command::new(BASHO).args(["report", "--games"]).arg(&dir).output().unwrap();
        for told in [stdout(&played), stdout(&report)] {
            assert!(told.contains("x\\nFinished game") && !told.contains("x\n"), "{told}");
        }
    }
}

#[test]
fn plays_each_kamon_layout_with_both_colours() {
    let temp = tempfile::tempdir().unwrap();
    let dir = temp.path().join("run");
    let engine = format!("cmd={oshi}", oshi = oshi());
    let words = [
        "match",
        "--variant",
        "kamon",
        "--engine",
        &engine,
        "name=a",
        "nodes=50",
        "--engine",
        "cmd=builtin:greedy",
        "name=b",
    ];
    let more = ["--rounds", "4", "--seed", "1", "--strict", "--openings", "random_start=true"];
    let output = basho(&[words.as_slice(), &more].concat(), &dir);
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    let games = games(&dir);
    let layouts: BTreeSet<&str> = games.iter().map(|game| game.opening.start.as_str()).collect();
    assert_eq!((games.len(), layouts.len()), (8, 4));
    for pair in games.chunks(2) {
        assert_eq!(pair[0].opening.start, pair[1].opening.start);
        assert_eq!(pair[0].black.name, pair[1].white.name);
    }
    for game in &games {
        assert!(game.opening.start.ends_with("4/5/6/7/6/5/4 b -"), "{}", game.opening.start);
        let ends = ["wins by connection", "wins by loop", "wins by block", "Draw by full board"];
        assert!(ends.iter().any(|end| game.detail.ends_with(end)), "{}", game.detail);
    }
}

/// The moves of a game on the fixed layout that fills the board, but for the last four, which can only draw.
const NEARLY_DRAWN: &str = "startpos moves e1 g1 c1 c6 d2 c4 d7 a2 g3 f5 e2 f2 b5 b4 a4 f4 a1 f1 c2 e3 d4 g2 b1 f3 b2 e6 c5 g4 d6 d1 e5 d5";

#[test]
fn counts_draw_as_half_for_both() {
    let temp = tempfile::tempdir().unwrap();
    let (dir, file) = (temp.path().join("run"), temp.path().join("openings"));
    std::fs::write(&file, NEARLY_DRAWN).unwrap();
    let (engine, openings) =
        (format!("cmd={oshi}", oshi = oshi()), format!("file={}", file.display()));
    let words = [
        "match",
        "--variant",
        "kamon",
        "--engine",
        &engine,
        "name=a",
        "--engine",
        &engine,
        "name=b",
    ];
    let more = ["--each", "nodes=500", "--rounds", "1", "--openings", &openings];
    let output = basho(&[words.as_slice(), &more].concat(), &dir);
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    for game in games(&dir) {
        assert_eq!((game.result, game.detail.as_str()), (GameScore::Draw, "Draw by full board"));
    }
    let told = stdout(&output);
    assert!(
        told.contains("Games: 2, Wins: 0, Losses: 0, Draws: 2, Points: 1.0 (50.00 %)"),
        "{told}"
    );
}

/// A test between greedy and random, which greedy wins.
fn sprt(first: &str, second: &str, rounds: &str) -> Output {
    let temp = tempfile::tempdir().unwrap();
    let (first, second) = (format!("cmd=builtin:{first}"), format!("cmd=builtin:{second}"));
    let words = [
        "sprt", "--engine", &first, "--engine", &second, "--sprt", "elo0=0", "elo1=50", "--rounds",
        rounds,
    ];
    basho(&words, &temp.path().join("run"))
}

#[test]
fn exit_code_is_decision_of_sprt() {
    let (better, worse, short) = (
        sprt("greedy", "random", "500"),
        sprt("random", "greedy", "500"),
        sprt("greedy", "random", "2"),
    );
    assert_eq!(better.status.code(), Some(0));
    assert!(stdout(&better).contains("SPRT ([0.00, 50.00]) completed - H1 was accepted"));
    assert_eq!(worse.status.code(), Some(1));
    assert!(stdout(&worse).contains("H0 was accepted"));
    assert_eq!(short.status.code(), Some(2));
    assert!(!stdout(&short).contains("accepted"));
}

#[test]
fn plays_endless_tournament_until_decision() {
    let endless = sprt("greedy", "random", &u32::MAX.to_string());
    assert_eq!(endless.status.code(), Some(0));
}

#[test]
fn oshi_passes_check() {
    let output = Command::new(BASHO).args(["check", oshi()]).output().unwrap();
    let said = stdout(&output);
    // Whether a move comes within a clock is the machine's affair as much as the engine's.
    let (passed, failed): (Vec<&str>, Vec<&str>) = said
        .lines()
        .filter(|line| line.contains(" Step ") && !line.contains(" it plays within a clock"))
        .partition(|line| line.starts_with("Passed Step "));
    assert_eq!((passed.len(), failed), (18, Vec::new()));
    assert!(said.ends_with("Expected by GUIs: 8 of 8 steps passed\n"), "{said}");
    let needed = said.contains("Needed by basho: 11 of 11 steps passed\n");
    assert_eq!(output.status.code(), Some(if needed { 0 } else { 3 }), "{said}");
}

/// It answers every `go` at once and prints no `info` line, not even for an error.
#[test]
#[cfg(target_os = "linux")]
fn instant_mover_passes_needed_steps() {
    let mover = format!(
        "sed -u 's/^go.*/go nodes 1/; /^ugi/d; /^quit/q' | {oshi} | grep --line-buffered -v '^info'",
        oshi = oshi()
    );
    let output = Command::new(BASHO).args(["check", "sh", "-c", &mover]).output().unwrap();
    let said = stdout(&output);
    assert_eq!(output.status.code(), Some(0), "{said}");
    assert!(said.contains("Needed by basho: 11 of 11 steps passed\n"), "{said}");
    for failed in ["prints a score", "names the error", "`ugi`"] {
        assert!(
            said.lines().any(|line| line.starts_with("Failed Step") && line.contains(failed)),
            "{failed}: {said}"
        );
    }
}

#[test]
fn continues_after_crash_and_shows_stderr() {
    let crashes = format!(
        "(while read -r line; do case $line in\n\
         *'go depth'*) echo 'no depth here' >&2; exit;; *'go movetime'*) line='go nodes 1';; esac; echo \"$line\"; [ \"$line\" != quit ] || exit; done) | {oshi}",
        oshi = oshi()
    );
    let output = Command::new(BASHO).args(["check", "sh", "-c", &crashes]).output().unwrap();
    let said = stdout(&output);
    assert_eq!(output.status.code(), Some(3), "{said}");
    let failed: Vec<&str> = said.lines().filter(|line| line.starts_with("Failed Step")).collect();
    assert!(
        matches!(&failed[..], [line] if line.contains("it plays for `go depth`: exited with code 0")),
        "{said}"
    );
    assert!(said.contains("its last lines on stderr:\n    no depth here\n"), "{said}");
    assert!(said.contains("Needed by basho: 10 of 11 steps passed"), "{said}");
    assert!(said.ends_with("Expected by GUIs: 8 of 8 steps passed\n"), "{said}");
}

#[test]
#[cfg(unix)]
fn interrupted_check_does_not_fail() {
    let temp = tempfile::tempdir().unwrap();
    let path = script(temp.path(), "mock.sh", &mock("while kill -INT $PPID; do sleep 0.05; done"));
    let output = Command::new(BASHO).args(["check", "sh"]).arg(path).output().unwrap();
    assert_eq!(output.status.code(), Some(130), "{}", stdout(&output));
}

#[test]
fn missing_program_is_usage_error() {
    let output = Command::new(BASHO).args(["check", "./no-such-engine"]).output().unwrap();
    assert_eq!(output.status.code(), Some(64));
    assert!(
        String::from_utf8_lossy(&output.stderr).contains("cannot run `./no-such-engine`"),
        "{output:?}"
    );
}

#[test]
fn rejects_option_with_another_variant() {
    let said = |variant: &str| {
        let option = format!("option.uci_variant={variant}");
        let engines = ["--engine", "cmd=builtin:random", "--engine", "cmd=builtin:greedy", &option];
        let output = Command::new(BASHO)
            .args(["match", "--variant", "kamon", "--rounds", "1"])
            .args(engines)
            .output()
            .unwrap();
        (output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned())
    };
    let (code, error) = said("kamisado-long");
    assert!(
        code == Some(64) && error.contains("expected `kamon`, the tournament's `variant`"),
        "{code:?}: {error}"
    );
    assert_eq!(said("kamon").0, Some(0));
}

#[test]
fn accepts_variant_of_check_after_engine() {
    let said =
        |words: &[&str]| stdout(&Command::new(BASHO).arg("check").args(words).output().unwrap());
    let script = "exit 1";
    assert!(
        said(&["sh", "--variant", "kamon", "-c", script]).starts_with("Checking sh in kamon\n")
    );
    assert!(
        said(&["--variant", "kamon", "sh", "-c", script]).starts_with("Checking sh in kamon\n")
    );
    // After the engine's own arguments it is one of them.
    assert!(
        said(&["sh", "-c", script, "--variant", "kamon"])
            .starts_with("Checking sh in kamisado-standard\n")
    );
}

/// What an engine that cannot play is told in two pairs of games: its starts, and every `go`.
fn told(words: &[&str]) -> Vec<String> {
    let temp = tempfile::tempdir().unwrap();
    let log = temp.path().join("log.txt");
    let on_go = format!("echo \"go $rest\" >> {}; echo bestmove a1a1", log.display());
    let path = script(
        temp.path(),
        "mock.sh",
        &format!("echo start >> {}\n{}", log.display(), mock(&on_go)),
    );
    let engine = ["match", "--engine", "cmd=sh", "name=mock", &format!("args={}", path.display())];
    let rest = ["--engine", "cmd=builtin:random", "--rounds", "2"];
    let output = basho(&[&engine, words, &rest].concat(), &temp.path().join("run"));
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    std::fs::read_to_string(log).unwrap().lines().map(str::to_owned).collect()
}

#[test]
fn sends_all_limits_to_engine() {
    let go = |words: &[&str]| told(words).into_iter().find(|line| line.starts_with("go ")).unwrap();
    assert_eq!(go(&["depth=3"]), "go depth 3");
    assert_eq!(go(&["movetime=60000", "nodes=5", "depth=2"]), "go movetime 60000 nodes 5 depth 2");
    let clock = go(&["tc=60", "nodes=5"]);
    assert!(
        clock.contains("time 60000") && clock.contains("nodes 5") && !clock.contains("depth"),
        "{clock}"
    );
}

#[test]
fn restarts_engine_for_every_game_on_request() {
    // One start before the first game, to see that it runs; after its fault in a game it is restarted anyway.
    let starts = |words: &[&str]| told(words).iter().filter(|line| *line == "start").count();
    assert_eq!(starts(&["nodes=1"]), 5);
    let temp = tempfile::tempdir().unwrap();
    let log = temp.path().join("log.txt");
    let path = script(
        temp.path(),
        "oshi.sh",
        &format!("echo start >> {}\nexec {oshi}", log.display(), oshi = oshi()),
    );
    for (restart, expected) in [("restart=false", 2), ("restart=true", 5)] {
        let _ = std::fs::remove_file(&log);
        let args = format!("args={}", path.display());
        let engine = ["match", "--engine", "cmd=sh", &args, "nodes=1", restart];
        let rest =
            ["--engine", "cmd=builtin:random", "--rounds", "2", "--variant", "kamisado-simple"];
        let output = basho(&[engine.as_slice(), &rest].concat(), &temp.path().join(restart));
        assert_eq!(output.status.code(), Some(0), "{output:?}");
        assert_eq!(std::fs::read_to_string(&log).unwrap().lines().count(), expected, "{restart}");
    }
}

#[test]
fn resigns_by_own_scores_and_validates_record() {
    let temp = tempfile::tempdir().unwrap();
    let cmd = format!("cmd={oshi}", oshi = oshi());
    let words = ["match", "--engine", &cmd, "name=a", "--engine", &cmd, "name=b"];
    let rest = [
        "--each",
        "nodes=60",
        "--rounds",
        "2",
        "--resign",
        "score=50",
        "movecount=2",
        "--openings",
        "random_plies=2",
    ];
    let into = temp.path().join("run");
    let output = basho(&[words.as_slice(), &rest].concat(), &into);
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    let resigned: Vec<_> =
        games(&into).into_iter().filter(|game| game.reason == Reason::Resignation).collect();
    assert!(!resigned.is_empty(), "nobody resigned in four matches");
    for game in &resigned {
        assert_eq!(game.detail, format!("{} wins by adjudication", game.result.winner().unwrap()));
    }
    let report = || Command::new(BASHO).args(["report", "--games"]).arg(&into).output().unwrap();
    assert_eq!(report().status.code(), Some(0), "{:?}", report());
    // The sheet tells it, and gives it back.
    let sheet = temp.path().join("sheets.txt");
    std::fs::write(&sheet, Command::new(BASHO).arg("sheet").arg(&into).output().unwrap().stdout)
        .unwrap();
    let back = Command::new(BASHO).args(["convert", "--to", "jsonl"]).arg(&sheet).output().unwrap();
    assert_eq!(
        stdout(&back).matches("\"reason\":\"resignation\"").count(),
        resigned.len(),
        "{back:?}"
    );
    // Better scores do not make a resignation.
    let records = into.join("games.jsonl");
    let better = std::fs::read_to_string(&records)
        .unwrap()
        .replace("\"cp -", "\"cp ")
        .replace("\"mate -", "\"mate ");
    std::fs::write(&records, better).unwrap();
    let refused = report();
    assert_eq!(refused.status.code(), Some(74));
    assert!(
        String::from_utf8_lossy(&refused.stderr).contains("do not meet the rule for resignation"),
        "{refused:?}"
    );
}

#[test]
fn uses_converted_games_as_openings() {
    let temp = tempfile::tempdir().unwrap();
    for (variant, openings) in
        [("kamisado-standard", "random_start=true"), ("kamon", "random_start=true")]
    {
        let path = |name: &str| temp.path().join(format!("{variant}-{name}"));
        let engines = [
            "match",
            "--engine",
            "cmd=builtin:random",
            "--engine",
            "cmd=builtin:greedy",
            "--variant",
            variant,
            "--rounds",
            "2",
        ];
        let play = |openings: &[&str], into: &str| {
            let output =
                basho(&[engines.as_slice(), &["--openings"], openings].concat(), &path(into));
            assert_eq!(output.status.code(), Some(0), "{output:?}");
            games(&path(into))
        };
        let first = play(&[openings], "first");
        let moves = Command::new(BASHO)
            .args(["convert", "--to", "moves"])
            .arg(path("first"))
            .output()
            .unwrap()
            .stdout;
        std::fs::write(path("moves.txt"), moves).unwrap();
        let file = format!("file={}", path("moves.txt").display());
        let next = play(&[&file, "plies=3"], "next");
        for (round, game) in [(0, &next[0]), (0, &next[1]), (1, &next[2])] {
            let played: Vec<_> =
                first[round].moves[..3].iter().map(|played| played.text.clone()).collect();
            assert_eq!(
                (&game.opening.start, &game.opening.moves),
                (&first[round].opening.start, &played)
            );
        }
    }
}

#[test]
fn fails_programs_that_are_not_engines() {
    let failed = |script: &str| {
        let output = Command::new(BASHO).args(["check", "sh", "-c", script]).output().unwrap();
        assert_eq!(output.status.code(), Some(3));
        stdout(&output)
    };
    assert!(failed("exit 1").contains("Failed Step 1"));
    let illegal = "while read -r word rest; do case $word in uci) echo uciok;; isready) echo readyok;; \
                   go) echo bestmove a1a8;; stop) echo bestmove a1a5;; ugi) echo ugiok;; quit) exit 0;; esac; done";
    let told = failed(illegal);
    assert!(told.contains("Failed Step 6") && told.contains("illegal move `a1a8`"), "{told}");
    assert!(told.contains("Failed Step 12: it reports its name and author"), "{told}");
    assert!(told.contains("Passed Step 19"), "{told}");
    let dies = "while read -r word rest; do case $word in uci) echo option name Hash type spin default 1 min 1 max 2; echo uciok;; \
                isready) echo readyok;; setoption) exit 1;; go) echo bestmove a1a8;; ugi) echo ugiok;; quit) exit 0;; esac; done";
    let told = failed(dies);
    assert!(
        told.contains("Failed Step 4")
            && told.contains("Passed Step 5")
            && told.contains("Passed Step 19"),
        "{told}"
    );
    let told = failed("exit 1");
    assert!(
        told.contains("Skipped Step 19") && told.contains("Needed by basho: 0 of 11 steps passed"),
        "{told}"
    );
}

/// An engine that declares these values of `UCI_Variant`, or has no such option, and is never asked
/// to play.
fn declares(dir: &Path, variants: &[&str]) -> String {
    let option = match variants {
        [] => String::new(),
        [first, ..] => {
            let values: String = variants.iter().map(|variant| format!(" var {variant}")).collect();
            format!("echo 'option name UCI_Variant type combo default {first}{values}'; ")
        }
    };
    let text = mock("exit 1").replace("echo uciok", &format!("{option}echo uciok"));
    format!("args={}", script(dir, "mock.sh", &text).display())
}

#[test]
fn rejects_engine_without_declared_variant() {
    let temp = tempfile::tempdir().unwrap();
    let cases: [(&[&str], &str, &str); 4] = [
        (
            &["kamisado-simple"],
            "kamisado-standard",
            "has `kamisado-simple`; expected it to declare `kamisado-standard`",
        ),
        (
            &["kamisado-long", "kamon"],
            "kamisado-simple",
            "has `kamisado-long`, `kamon`; expected it to declare `kamisado-simple`",
        ),
        (&["chess"], "kamon", "has `chess`; expected it to declare `kamon`"),
        (
            &[],
            "kamon",
            "declares no option `UCI_Variant`, so it is taken to play `kamisado-standard`; expected it to declare `kamon`",
        ),
    ];
    for (index, (variants, variant, expected)) in cases.into_iter().enumerate() {
        let args = declares(temp.path(), variants);
        let run = temp.path().join(index.to_string());
        let words = [
            "match",
            "--engine",
            "cmd=builtin:random",
            "--engine",
            "cmd=sh",
            "name=bot",
            &args,
            "nodes=1",
        ];
        let output =
            basho(&[words.as_slice(), &["--rounds", "1", "--variant", variant]].concat(), &run);
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(
            output.status.code() == Some(64) && said.contains("engine 2 (bot): its option")
                || variants.is_empty(),
            "{said}"
        );
        assert!(
            said.contains(expected) && said.contains("`--variant` (`variant =` in a file)"),
            "{said}"
        );
        assert!(!run.exists(), "{variant}: nothing is recorded");
        let path = args.strip_prefix("args=").unwrap();
        let checked =
            Command::new(BASHO).args(["check", "--variant", variant, "sh", path]).output().unwrap();
        let said = stdout(&checked);
        assert!(
            checked.status.code() == Some(3)
                && said.contains("Failed Step 2")
                && said.contains(expected),
            "{said}"
        );
    }
}

#[test]
fn accepts_engine_with_declared_or_default_variant() {
    let temp = tempfile::tempdir().unwrap();
    let cases: [(&[&str], &str); 3] = [
        (&["kamisado-simple"], "kamisado-simple"),
        (&["kamon", "kamisado-standard"], "kamisado-standard"),
        (&[], "kamisado-standard"),
    ];
    for (index, (variants, variant)) in cases.into_iter().enumerate() {
        let args = declares(temp.path(), variants);
        let words = [
            "match",
            "--engine",
            "cmd=builtin:random",
            "--engine",
            "cmd=sh",
            "name=bot",
            &args,
            "nodes=1",
        ];
        let words = [words.as_slice(), &["--rounds", "1", "--variant", variant]].concat();
        let output = basho(&words, &temp.path().join(index.to_string()));
        assert_eq!(output.status.code(), Some(0), "{output:?}");
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(
            said.contains("declares no option `UCI_Variant`; it is taken to play"),
            variants.is_empty(),
            "{said}"
        );
    }
}

#[test]
fn presets_are_valid() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tournaments");
    let mut count = 0;
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_none_or(|extension| extension != "toml") {
            continue;
        }
        let tournament = Tournament::read(&path).unwrap();
        assert!(tournament.engines().unwrap().len() >= 2);
        count += 1;
    }
    assert_eq!(count, 6);
}

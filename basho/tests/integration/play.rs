//! Whole tournaments: schedule, limits, records, results, exit codes, presets.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};

use basho::config::Tournament;
use basho::record::Reason;
use basho::records::live::LiveGame;
use basho::sheet::GameScore;

use crate::support::mock::{mock, script};
use crate::support::program::oshi;
use crate::support::runner::{BASHO, arguments, basho, games, stderr, stdout};

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
        let more = arguments(
            "--each nodes=100 --rounds 3 --seed 3 --openings random_start=true \
                          random_plies=2",
        );
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
    assert!(seeds.len() > 9, "the seeds of engines differ");
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
        "important defaults are recorded"
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
    assert!(!dir.join("live").exists(), "the folder is removed at the end");
}

#[test]
fn records_score_of_best_line() {
    let temp = tempfile::tempdir().unwrap();
    let on_go = "echo 'info depth 1 multipv 1 score cp 11 nodes 5 pv a1a5'; echo 'info depth 1 \
                 multipv 2 score cp -22 nodes 5 pv a1a4'; \
                echo 'info depth 2 multipv 1 score cp -900 upperbound nodes 9 pv a1a5'; echo \
                'info string a final score of 50'; echo 'bestmove a1a5'";
    let path = script(temp.path(), "mock.sh", &mock(on_go));
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
    let words =
        arguments("match --engine cmd=builtin:random --engine cmd=builtin:greedy --rounds 3");
    let start = || {
        Command::new(BASHO)
            .args(&words)
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
    assert_eq!(std::fs::read_dir(temp.path().join("runs")).unwrap().count(), 6, "no draft remains");
}

#[test]
fn prints_name_on_one_line() {
    let temp = tempfile::tempdir().unwrap();
    let file = temp.path().join("names.toml");
    let engines = "[[engine]]\ncmd = 'builtin:random'\nname = \"x\\nFinished game\"\n[[engine]]\n\
                   cmd = 'builtin:greedy'\n";
    for more in ["", "[[engine]]\ncmd = 'builtin:greedy'\nname = 'third'\n"] {
        std::fs::write(&file, format!("rounds = 1\n{engines}{more}")).unwrap();
        let dir = temp.path().join(format!("run{}", more.len()));
        let played = basho(&["run", &file.display().to_string()], &dir);
        assert_eq!(played.status.code(), Some(0));
        let report = Command::new(BASHO).args(["report", "--games"]).arg(&dir).output().unwrap();
        for printed in [stdout(&played), stdout(&report)] {
            assert!(printed.contains("x\\nFinished game") && !printed.contains("x\n"), "{printed}");
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
    let more = arguments("--rounds 4 --seed 1 --strict --openings random_start=true");
    let output = basho(&[words.as_slice(), &more].concat(), &dir);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
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

/// A game on the fixed layout that fills the board, without its last four moves. Each of their
/// orders is a draw.
const NEARLY_DRAWN: &str = "startpos moves e1 g1 c1 c6 d2 c4 d7 a2 g3 f5 e2 f2 b5 b4 a4 f4 a1 f1 \
                            c2 e3 d4 g2 b1 f3 b2 e6 c5 g4 d6 d1 e5 d5";

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
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    for game in games(&dir) {
        assert_eq!((game.result, game.detail.as_str()), (GameScore::Draw, "Draw by full board"));
    }
    let printed = stdout(&output);
    assert!(
        printed.contains("Games: 2, Wins: 0, Losses: 0, Draws: 2, Points: 1.0 (50.00 %)"),
        "{printed}"
    );
}

/// Runs a sequential test between two built-in players.
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

/// The starts and `go` commands that an engine receives in two pairs of games. It moves illegally.
fn received(words: &[&str]) -> Vec<String> {
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
    let go =
        |words: &[&str]| received(words).into_iter().find(|line| line.starts_with("go ")).unwrap();
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
    // One start checks the engine before the first game. Each fault in a game causes another.
    let starts = |words: &[&str]| received(words).iter().filter(|line| *line == "start").count();
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
        let rest = arguments("--engine cmd=builtin:random --rounds 2 --variant kamisado-simple");
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
    let rest = arguments(
        "--each nodes=60 --rounds 2 --resign score=50 movecount=2 --openings \
                      random_plies=2",
    );
    let into = temp.path().join("run");
    let output = basho(&[words.as_slice(), &rest].concat(), &into);
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    let resigned: Vec<_> =
        games(&into).into_iter().filter(|game| game.reason == Reason::Resignation).collect();
    assert!(!resigned.is_empty(), "no resignation in four matches");
    for game in &resigned {
        assert_eq!(game.detail, format!("{} wins by adjudication", game.result.winner().unwrap()));
    }
    let report = || Command::new(BASHO).args(["report", "--games"]).arg(&into).output().unwrap();
    assert_eq!(report().status.code(), Some(0), "{:?}", report());
    // The sheet keeps the resignation.
    let sheet = temp.path().join("sheets.txt");
    std::fs::write(&sheet, Command::new(BASHO).arg("sheet").arg(&into).output().unwrap().stdout)
        .unwrap();
    let back = Command::new(BASHO).args(["convert", "--to", "jsonl"]).arg(&sheet).output().unwrap();
    assert_eq!(
        stdout(&back).matches("\"reason\":\"resignation\"").count(),
        resigned.len(),
        "{back:?}"
    );
    // Better scores do not justify a resignation.
    let records = into.join("games.jsonl");
    let better = std::fs::read_to_string(&records)
        .unwrap()
        .replace("\"cp -", "\"cp ")
        .replace("\"mate -", "\"mate ");
    std::fs::write(&records, better).unwrap();
    let rejected = report();
    assert_eq!(rejected.status.code(), Some(74));
    assert!(stderr(&rejected).contains("do not meet the rule for resignation"), "{rejected:?}");
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
    assert_eq!(count, 5);
}

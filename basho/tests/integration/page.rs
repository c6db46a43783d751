//! The page of a tournament: its contents, its warnings, and hostile records.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use basho::record::MAX_LINE_LENGTH;
use miniz_oxide::inflate::decompress_to_vec_zlib;
use serde_json::Value;

use crate::support::runner::{BASHO, arguments, stderr, stdout};

fn basho(arguments: &[&str]) -> Output {
    Command::new(BASHO).args(arguments).output().unwrap()
}

/// Plays a small tournament of built-in players into a folder.
fn play(dir: &Path, names: [&str; 2], extra: &[&str]) {
    let mut arguments = vec!["match"];
    let names = names.map(|name| format!("name={name}"));
    for (cmd, name) in ["cmd=builtin:random", "cmd=builtin:greedy"].into_iter().zip(&names) {
        arguments.extend(["--engine", cmd, name]);
    }
    arguments.extend(["--openings", "random_start=true", "--into", dir.to_str().unwrap()]);
    arguments.extend(if extra.is_empty() { &["--rounds", "5"] } else { extra });
    assert!(basho(&arguments).status.success());
}

/// Gives every move the score `cp 0`, a win probability of one half. Returns the number of moves.
fn score_one_half(dir: &Path) -> usize {
    let file = dir.join("games.jsonl");
    let games = fs::read_to_string(&file).unwrap();
    fs::write(&file, games.replace("{\"move\":", "{\"score\":\"cp 0\",\"move\":")).unwrap();
    games.matches("{\"move\":").count()
}

/// Writes the page and returns it with the warnings on stderr.
fn page(dir: &Path) -> (String, String) {
    let file = dir.with_extension("html");
    let output = basho(&["report", dir.to_str().unwrap(), "--html", file.to_str().unwrap()]);
    let warnings = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(if warnings.is_empty() { 0 } else { 74 }), "{warnings}");
    (fs::read_to_string(file).unwrap(), warnings)
}

/// The index that the page reads before any game.
fn index(page: &str) -> Value {
    let text = page.split("<script type=\"application/json\" id=\"index\">").nth(1).unwrap();
    serde_json::from_str(text.split("</script>").next().unwrap()).unwrap()
}

/// The packed games: the record of each, byte for byte, and the data for its replay.
fn games(page: &str) -> Vec<(String, Value)> {
    let chunks = page.split("<script type=\"text/plain\"").skip(1).flat_map(|rest| {
        let packed = rest.split_once('>').unwrap().1.split("</script>").next().unwrap();
        let bytes = decompress_to_vec_zlib(&BASE64_STANDARD.decode(packed).unwrap()).unwrap();
        String::from_utf8(bytes).unwrap().lines().map(str::to_owned).collect::<Vec<_>>()
    });
    let lines: Vec<String> = chunks.collect();
    lines.chunks(2).map(|game| (game[0].clone(), serde_json::from_str(&game[1]).unwrap())).collect()
}

/// Checks that the page has no script but its own, and its data.
fn assert_no_foreign_script(page: &str) {
    let scripts = page.matches("<script").count();
    let data = page.matches("<script type=\"text/plain\" id=\"chunk-").count() + 1;
    assert_eq!((scripts, page.matches("</script>").count()), (data + 1, scripts));
    assert!(!page.contains("<script>alert") && !page.contains("<img"));
}

#[test]
fn contains_every_game_and_loads_nothing() {
    let temp = tempfile::tempdir().unwrap();
    let dir = temp.path().join("run");
    play(&dir, ["a", "b"], &["--variant", "kamisado-long", "--rounds", "60"]);
    let (page, warnings) = page(&dir);
    assert_eq!(warnings, "");
    let numbers: Vec<u64> = index(&page)["games"]
        .as_array()
        .unwrap()
        .iter()
        .map(|game| game["number"].as_u64().unwrap())
        .collect();
    assert_eq!(numbers, (1..=120).collect::<Vec<_>>());
    let recorded = fs::read_to_string(dir.join("games.jsonl")).unwrap();
    let mut records: Vec<String> = recorded.lines().map(str::to_owned).collect();
    records.sort_by_key(|line| serde_json::from_str::<Value>(line).unwrap()["game"].as_u64());
    let games = games(&page);
    assert_eq!(
        games.iter().map(|(record, _)| record.clone()).collect::<Vec<_>>(),
        records,
        "byte for byte"
    );
    for (_, replay) in games {
        let sheet = replay["sheet"].as_str().unwrap();
        assert!(sheet.starts_with("Score sheet: kamisado-long\nGame: "), "{sheet}");
    }
    for attribute in [" src=", " href=\"http", "url(", "@import"] {
        assert!(!page.contains(attribute), "{attribute}");
    }
    assert!(page.contains("default-src 'none'"));
    for section in [
        "Standings",
        "Cross table: score",
        "How rounds were won",
        "Length of games",
        "Time per move",
    ] {
        assert!(page.contains(section), "{section}");
    }
}

#[test]
fn omits_options_that_built_in_players_ignore() {
    let temp = tempfile::tempdir().unwrap();
    let dir = temp.path().join("run");
    play(&dir, ["a", "b"], &["--each", "option.UCI_LimitStrength=true", "--rounds", "1"]);
    let (page, _) = page(&dir);
    assert!(!page.contains("UCI_LimitStrength"));
}

#[test]
fn draws_time_chart_for_each_engine() {
    let temp = tempfile::tempdir().unwrap();
    let dir = temp.path().join("run");
    let more = (0..7).flat_map(|_| ["--engine", "cmd=builtin:greedy"]).chain(["--rounds", "1"]);
    play(&dir, ["a", "b"], &more.collect::<Vec<_>>());
    let (page, _) = page(&dir);
    assert_eq!(page.matches("<figcaption>Time per move: ").count(), 9);
    assert!(page.contains("<table class=\"cross many\">"));
}

#[test]
fn draws_llr_of_sequential_test() {
    let temp = tempfile::tempdir().unwrap();
    let dir = temp.path().join("run");
    let sprt = arguments(
        "sprt --engine cmd=builtin:random --engine cmd=builtin:greedy --sprt elo0=0 \
                      elo1=50",
    );
    let place =
        ["--openings", "random_start=true", "--rounds", "200", "--into", dir.to_str().unwrap()];
    basho(&[sprt.as_slice(), &place].concat());
    let (page, _) = page(&dir);
    assert!(page.contains("Log-likelihood ratio") && page.contains("H0 was accepted"));
}

#[test]
fn reports_calibration_when_engines_send_scores() {
    let temp = tempfile::tempdir().unwrap();
    let dir = temp.path().join("run");
    play(&dir, ["a", "b"], &[]);
    let report = || {
        let output = basho(&["report", dir.to_str().unwrap()]);
        assert!(output.status.success());
        stdout(&output)
    };
    const HEADING: &str = "Calibration of win probabilities";
    assert!(!report().contains(HEADING) && !page(&dir).0.contains(HEADING));
    let moves = score_one_half(&dir);
    let text = report();
    let rows: Vec<Vec<&str>> = text
        .lines()
        .skip_while(|line| !line.starts_with(HEADING))
        .skip(2)
        .map(|line| line.split_whitespace().collect())
        .collect();
    assert_eq!(rows.iter().map(|row| row[0]).collect::<Vec<_>>(), ["a", "b"], "{text}");
    assert_eq!(rows.iter().map(|row| row[1].parse::<usize>().unwrap()).sum::<usize>(), moves);
    assert!(
        rows.iter().all(|row| row[2..7] == ["0.250"; 5]),
        "the squared error of one half is 0.25: {text}"
    );
    let (page, _) = page(&dir);
    assert!(page.contains(HEADING));
    for row in rows {
        assert!(
            page.contains(&format!(
                "over {} moves. Brier score 0.250, calibration error {};",
                row[1], row[7]
            )),
            "{row:?}"
        );
        let bin = format!(
            "<th scope=\"row\">50 to 60 %</th><td class=\"number\">{}</td><td \
             class=\"number\">50.0 %</td>",
            row[1]
        );
        assert!(page.contains(&bin), "{bin}");
    }
}

#[test]
fn escapes_hostile_names() {
    let temp = tempfile::tempdir().unwrap();
    let dir = temp.path().join("run");
    let names =
        ["</script><script>alert(1)</script>", "\"><img src=x onerror=alert(1)>'&amp;\u{202e}"];
    play(&dir, names, &[]);
    score_one_half(&dir);
    let (page, _) = page(&dir);
    assert!(page.contains("Win probabilities of"), "names are in every section");
    assert_no_foreign_script(&page);
    // The browser decodes the data to the same names.
    assert_eq!(index(&page)["names"], serde_json::json!(names));
}

/// Makes every text of a record hostile in turn.
#[test]
fn escapes_every_text_of_records() {
    const SCRIPT: &str =
        "</script><script>alert(1)</script><img src=x onerror=alert(1)>\u{2028}\\\"'";
    let temp = tempfile::tempdir().unwrap();
    let dir = temp.path().join("run");
    play(&dir, ["a", "b"], &[]);
    let file = dir.join("games.jsonl");
    let lines: Vec<String> =
        fs::read_to_string(&file).unwrap().lines().map(str::to_owned).collect();
    let game: Value = serde_json::from_str(&lines[0]).unwrap();
    let places = [
        "/detail",
        "/reason",
        "/result",
        "/opening/start",
        "/opening/moves/0",
        "/moves/0/move",
        "/moves/0/score",
        "/black/name",
        "/black/limit",
        "/white/options",
    ];
    let mut hostile = Vec::new();
    for place in places {
        let mut game = game.clone();
        match place {
            "/opening/moves/0" => game["opening"]["moves"] = serde_json::json!([SCRIPT]),
            "/moves/0/score" => game["moves"][0]["score"] = SCRIPT.into(),
            "/white/options" => game["white"]["options"][SCRIPT] = SCRIPT.into(),
            _ => *game.pointer_mut(place).unwrap() = SCRIPT.into(),
        }
        hostile.push(game.to_string());
    }
    for line in hostile {
        fs::write(&file, line + "\n").unwrap();
        basho(&[
            "report",
            dir.to_str().unwrap(),
            "--html",
            dir.with_extension("html").to_str().unwrap(),
        ]);
        assert_no_foreign_script(&fs::read_to_string(dir.with_extension("html")).unwrap());
    }
}

#[test]
fn names_invalid_records_and_shows_the_others() {
    let temp = tempfile::tempdir().unwrap();
    let dir = temp.path().join("run");
    play(&dir, ["a", "b"], &[]);
    let file = dir.join("games.jsonl");
    let lines: Vec<String> =
        fs::read_to_string(&file).unwrap().lines().map(str::to_owned).collect();
    let mut damaged: Vec<Vec<u8>> = lines.iter().map(|line| line.clone().into_bytes()).collect();
    damaged[1] = lines[1].replacen("\"move\":\"", "\"move\":\"h8", 1).into_bytes();
    damaged[2] = lines[2].replace("\"reason\":\"normal\"", "\"reason\":\"adjourned\"").into_bytes();
    damaged[3] = [lines[3].as_bytes(), b"\xff\xfe"].concat();
    damaged[4] = lines[3].clone().into_bytes();
    damaged[5] = lines[4].clone().into_bytes();
    damaged[6] = lines[4].clone().into_bytes();
    damaged[7] = vec![b'x'; MAX_LINE_LENGTH + 1];
    damaged[9].truncate(lines[9].len() / 2);
    fs::write(&file, damaged.join(&b"\n"[..])).unwrap();
    let (page, warnings) = page(&dir);
    let expected = [
        "line 2, game 2: ply 1: ",
        "line 3: unknown variant `adjourned`",
        "line 4: invalid utf-8",
        "line 7, game 5: recorded twice",
        "line 8: longer than 16777216 bytes",
    ];
    for text in expected {
        assert!(warnings.contains(text), "`{text}` in {warnings}");
        assert!(page.contains(text), "`{text}` on the page");
    }
    assert_eq!(warnings.lines().count(), expected.len(), "{warnings}");
    assert!(!page.contains(temp.path().to_str().unwrap()), "the page tells where the records lie");
    let shown: Vec<u64> = index(&page)["games"]
        .as_array()
        .unwrap()
        .iter()
        .map(|game| game["number"].as_u64().unwrap())
        .collect();
    assert_eq!(shown, [1, 4, 5, 9]);
}

#[test]
fn renders_tournament_without_games() {
    let temp = tempfile::tempdir().unwrap();
    let dir = temp.path().join("run");
    play(&dir, ["a", "b"], &[]);
    fs::write(dir.join("games.jsonl"), "").unwrap();
    let (page, warnings) = page(&dir);
    assert_eq!(warnings, "");
    assert!(page.contains("0 of 10"));
    let lower = page.to_lowercase();
    assert!(!lower.contains("nan%") && !lower.contains("\"nan"));
}

#[test]
fn never_overwrites_records() {
    let temp = tempfile::tempdir().unwrap();
    let dir = temp.path().join("run");
    play(&dir, ["a", "b"], &[]);
    let link = temp.path().join("page.html");
    std::os::unix::fs::symlink(dir.join("games.jsonl"), &link).unwrap();
    let (dir_name, link) = (dir.to_str().unwrap(), link.to_str().unwrap());
    let [games, manifest] = ["games.jsonl", "tournament.toml"].map(|name| dir.join(name));
    let content = || [&games, &manifest].map(|file| std::fs::read(file).unwrap());
    let before = content();
    for arguments in [
        &["report", dir_name, "--html", games.to_str().unwrap()][..],
        &["report", dir_name, "--html", link],
        &["board", "startpos", "--out", manifest.to_str().unwrap()],
        &["resume", dir_name, "--log", games.to_str().unwrap()],
    ] {
        let output = basho(arguments);
        assert_eq!(output.status.code(), Some(64), "{arguments:?}: {output:?}");
        assert!(stderr(&output).contains("holds a tournament's records"), "{output:?}");
        assert!(content() == before, "{arguments:?}");
    }
}

#[test]
fn rejects_folder_without_tournament() {
    let temp = tempfile::tempdir().unwrap();
    let output = basho(&["report", temp.path().to_str().unwrap(), "--html", "/nowhere/page.html"]);
    assert_eq!(output.status.code(), Some(64));
    let dir = temp.path().join("run");
    play(&dir, ["a", "b"], &[]);
    let output = basho(&["report", dir.to_str().unwrap(), "--html", "/nowhere/page.html"]);
    assert_eq!(output.status.code(), Some(74));
    assert!(String::from_utf8(output.stderr).unwrap().contains("/nowhere/page.html"));
}

#[test]
fn board_draws_a_position_to_the_output_or_a_file() {
    let temp = tempfile::tempdir().unwrap();
    let file = temp.path().join("board.svg");
    let words = arguments("board startpos moves a1a5 d8d4 --layout mirrored");
    let printed = basho(&words);
    assert!(printed.status.success());
    let written = basho(&[words.as_slice(), &["--out", file.to_str().unwrap()]].concat());
    assert_eq!((written.status.code(), written.stdout.len()), (Some(0), 0));
    let svg = fs::read_to_string(file).unwrap();
    assert_eq!(stdout(&printed).trim_end(), svg.trim_end());
    assert!(svg.starts_with("<svg"));
    for rejected in [
        ["board", "nonsense"].as_slice(),
        &["board", "startpos", "--layout", "upside-down"],
        &["board"],
    ] {
        assert_eq!(basho(rejected).status.code(), Some(64));
    }
}

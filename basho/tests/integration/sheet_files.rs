//! `basho sheet` and `basho convert` on files, also on invalid ones.

use std::path::Path;
use std::process::{Command, Output, Stdio};

use basho::record::{GameRecord, MAX_LINE_LENGTH, Reason};
use basho::records::convert::{self, Archive, Target};
use basho::sheet::{GameScore, Sheet};
use oshi::game::{Game, Text};
use oshi::games::kamisado::Match;

use crate::support::runner::{BASHO, stdout};

fn basho(dir: &Path, words: &[&str]) -> (Option<i32>, String, String) {
    let Output { status, stdout, stderr } =
        Command::new(BASHO).args(words).current_dir(dir).output().unwrap();
    (status.code(), String::from_utf8(stdout).unwrap(), String::from_utf8(stderr).unwrap())
}

/// Output of a command that must succeed.
fn output(dir: &Path, words: &[&str]) -> String {
    let (code, stdout, stderr) = basho(dir, words);
    assert_eq!((code, stderr.as_str()), (Some(0), ""), "{words:?}");
    stdout
}

/// A folder with a tournament `run` of the built-in players.
fn tournament(variant: &str) -> tempfile::TempDir {
    let temp = tempfile::tempdir().unwrap();
    let mut command = Command::new(BASHO);
    command.args([
        "match",
        "--engine",
        "cmd=builtin:random",
        "--engine",
        "cmd=builtin:greedy",
        "--variant",
        variant,
    ]);
    command
        .args(["--openings", "random_start=true", "random_plies=2", "--rounds", "3", "--into"])
        .arg(temp.path().join("run"));
    assert!(command.stdout(Stdio::null()).stderr(Stdio::null()).status().unwrap().success());
    temp
}

fn records(text: &str) -> Vec<GameRecord> {
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn write_records(path: &Path, records: &[GameRecord]) {
    let lines: Vec<String> =
        records.iter().map(|record| serde_json::to_string(record).unwrap() + "\n").collect();
    std::fs::write(path, lines.concat()).unwrap();
}

#[test]
fn converts_between_records_sheets_and_moves() {
    for variant in ["kamisado-long", "kamon"] {
        let temp = tournament(variant);
        let convert = |file: &str, to: &str| output(temp.path(), &["convert", file, "--to", to]);
        let save = |name: &str, text: &str| std::fs::write(temp.path().join(name), text).unwrap();
        let moves = convert("run", "moves");
        assert_eq!(moves.lines().count(), 6);
        assert!(
            moves.lines().all(|line| line.starts_with("position fen ") && line.contains(" moves "))
        );
        let sheets =
            output(temp.path(), &["sheet", "run/games.jsonl", "--lang", "fr", "--symbols"]);
        save("sheets.txt", &sheets);
        assert_eq!(output(temp.path(), &["sheet", "sheets.txt", "--parse"]), moves);
        assert_eq!(
            output(
                temp.path(),
                &["convert", "sheets.txt", "--to", "sheet", "--lang", "fr", "--symbols"]
            ),
            sheets
        );
        save("moves.txt", &moves);
        assert_eq!(convert("moves.txt", "moves"), moves);
        save("again.jsonl", &convert("sheets.txt", "jsonl"));
        assert_eq!(
            output(temp.path(), &["sheet", "again.jsonl", "--lang", "fr", "--symbols"]),
            sheets
        );
        let [before, after] = ["run/games.jsonl", "again.jsonl"].map(|name| {
            let mut records = records(&std::fs::read_to_string(temp.path().join(name)).unwrap());
            records.sort_by_key(|record| record.game);
            records
                .into_iter()
                .map(|record| (record.game, record.black.name, record.result, record.detail))
                .collect::<Vec<_>>()
        });
        assert_eq!(before, after);
    }
}

#[test]
fn prints_one_game_by_number() {
    let temp = tournament("kamisado-simple");
    let sheet = output(temp.path(), &["sheet", "run", "--game", "4"]);
    assert!(
        sheet.starts_with("Score sheet: kamisado-simple\nGame: 4\nBlack: ")
            && sheet.matches("Score sheet").count() == 1
    );
    let (code, _, message) = basho(temp.path(), &["sheet", "run", "--game", "7"]);
    assert_eq!(
        (code, message.as_str()),
        (Some(64), "Error: run: no moves found; expected game 7\n")
    );
}

#[test]
fn converts_moves_to_commands_of_engine() {
    let temp = tempfile::tempdir().unwrap();
    let lines = "# mine\n\na1a4 e8e7\nmoves a1a4 e8e7 # the same\nstartpos moves a1a4 e8e7\n\
                 position startpos moves a1a4 e8e7\n\
                 fen OLVPYRGB/8/8/8/8/8/8/bgrypvlo b - 0-0 3 moves a1a4 e8e7\n\
                 OLVPYRGB/8/8/8/8/8/8/bgrypvlo b - 0-0 3 moves a1a4 e8e7\n";
    std::fs::write(temp.path().join("moves"), lines).unwrap();
    let moves = output(temp.path(), &["convert", "moves", "--to", "moves"]);
    let expected = "position fen OLVPYRGB/8/8/8/8/8/8/bgrypvlo b - 0-0 3 moves a1a4 e8e7";
    assert_eq!(moves.lines().collect::<Vec<_>>(), [expected; 6]);
    let engine =
        Command::new(crate::support::program::oshi()).args([expected, "d"]).output().unwrap();
    let mut position: Match = "OLVPYRGB/8/8/8/8/8/8/bgrypvlo b - 0-0 3".parse().unwrap();
    for mv in ["a1a4", "e8e7"] {
        position.play(position.parse_move(mv).unwrap());
    }
    assert!(stdout(&engine).contains(&position.to_string()));
    let simple =
        output(temp.path(), &["convert", "moves", "--to", "sheet", "--variant", "kamisado-simple"]);
    assert_eq!(simple.matches("Score sheet: kamisado-simple").count(), 4);
}

#[test]
fn names_line_of_invalid_moves_and_prints_others() {
    let temp = tempfile::tempdir().unwrap();
    std::fs::write(
        temp.path().join("moves"),
        "a1a4\nb1b9\nposition random 7\nstartpos a1a4\na1a4 a1a5\ne1e7\n",
    )
    .unwrap();
    let (code, stdout, stderr) = basho(temp.path(), &["convert", "moves", "--to", "moves"]);
    assert_eq!((code, stdout.lines().count()), (Some(74), 3), "{stderr}");
    let expected = [
        "Error: moves:2: ply 1: `b1b9` is not a move: expected from-to such as",
        "Error: moves:3: the start `random` is not reproducible; expected `startpos` or `fen LINE`",
        "Error: moves:4: ",
        "Error: moves:5: ply 2: illegal move `a1a5`: White's yellow tower on e8 is called",
    ];
    for (line, expected) in stderr.lines().zip(expected) {
        assert!(line.starts_with(expected), "{line}");
    }
    assert_eq!(stderr.lines().count(), expected.len());
}

#[test]
fn names_line_of_invalid_records_and_prints_others() {
    let temp = tournament("kamisado-standard");
    let good = std::fs::read(temp.path().join("run/games.jsonl")).unwrap();
    let lines: Vec<&[u8]> = good.split_inclusive(|&byte| byte == b'\n').collect();
    let text = |line: usize| String::from_utf8(lines[line].to_vec()).unwrap();
    let newer = text(1).replacen("\"format\":1", "\"format\":2", 1);
    let mut illegal: GameRecord = serde_json::from_str(&text(2)).unwrap();
    illegal.moves[0].text = "a1a1".to_owned();
    let illegal = serde_json::to_string(&illegal).unwrap() + "\n";
    let mut contradicted: GameRecord = serde_json::from_str(&text(3)).unwrap();
    let correct = contradicted.result;
    contradicted.result =
        if correct == GameScore::BlackWins { GameScore::WhiteWins } else { GameScore::BlackWins };
    let contradicted = serde_json::to_string(&contradicted).unwrap() + "\n";
    let missing = text(4).replacen("\"moves\":", "\"plies\":", 2);
    let cut = &lines[5][..lines[5].len() / 2];
    let mut bad = b"\xEF\xBB\xBF".to_vec();
    for line in [
        text(0).trim_end().as_bytes(),
        b"\r\n",
        newer.as_bytes(),
        illegal.as_bytes(),
        contradicted.as_bytes(),
    ] {
        bad.extend_from_slice(line);
    }
    bad.extend_from_slice(b"{\"game\":\xFF}\n");
    for line in [missing.as_bytes(), b"\n", lines[5], cut] {
        bad.extend_from_slice(line);
    }
    let games = temp.path().join("run/games.jsonl");
    std::fs::write(&games, bad).unwrap();
    let (code, stdout, stderr) = basho(temp.path(), &["sheet", "run"]);
    assert_eq!((code, stdout.matches("Score sheet").count()), (Some(74), 2), "{stderr}");
    let expected = [
        (2, "unknown format 2; expected format 1 at byte "),
        (3, "game 3: ply 3: illegal move `a1a1`: "),
        (4, "by the rules the game ended"),
        (5, "invalid UTF-8 at byte 9 of the line; expected a text in UTF-8"),
        (6, "missing field `moves`"),
        (9, "the record is cut short: EOF while parsing"),
    ];
    for (message, (line, reason)) in stderr.lines().zip(expected) {
        assert!(
            message.starts_with(&format!("Error: run/games.jsonl:{line}: "))
                && message.contains(reason),
            "{message}"
        );
    }
    assert_eq!(stderr.lines().count(), expected.len(), "{stderr}");
}

#[test]
fn ignores_byte_order_mark_and_windows_newlines() {
    let temp = tournament("kamisado-standard");
    let sheets = output(temp.path(), &["sheet", "run", "--lang", "de"]);
    std::fs::write(
        temp.path().join("sheets.txt"),
        format!("\u{FEFF}{}", sheets.replace('\n', "\r\n")),
    )
    .unwrap();
    assert_eq!(
        output(temp.path(), &["convert", "sheets.txt", "--to", "sheet", "--lang", "de"]),
        sheets
    );
}

#[test]
fn names_line_of_invalid_sheets_and_prints_others() {
    let temp = tournament("kamon");
    let sheets = output(temp.path(), &["sheet", "run", "--symbols"]);
    let wrong = sheets.replacen("  1 | ", "  1 | x", 2);
    std::fs::write(temp.path().join("sheets.txt"), wrong).unwrap();
    let (code, stdout, stderr) = basho(temp.path(), &["sheet", "--parse", "sheets.txt"]);
    assert_eq!(
        (code, stdout.lines().count(), stderr.lines().count()),
        (Some(74), 4, 2),
        "{stderr}"
    );
    assert!(
        stderr.starts_with("Error: sheets.txt:") && stderr.contains(": ply 1 of Black, `x"),
        "{stderr}"
    );
}

#[test]
fn rejects_oversized_line_and_prints_other_games() {
    let temp = tournament("kamisado-simple");
    let endless = [vec![b'a'; MAX_LINE_LENGTH + 1], b"\n".to_vec()].concat();
    for (name, form) in [("again.jsonl", "jsonl"), ("sheets", "sheet"), ("moves", "moves")] {
        let path = temp.path().join(name);
        let text = output(temp.path(), &["convert", "run", "--to", form]).into_bytes();
        let line = 1 + text.iter().filter(|&&byte| byte == b'\n').count();
        std::fs::write(&path, [text.as_slice(), &endless, &text].concat()).unwrap();
        let (code, stdout, stderr) = basho(temp.path(), &["convert", name, "--to", "moves"]);
        // Lines after a sheet belong to it up to the next title, so one sheet is lost.
        let shown = if form == "sheet" { 11 } else { 12 };
        assert_eq!((code, stdout.lines().count()), (Some(74), shown), "{stderr}");
        assert_eq!(
            stderr,
            format!(
                "Error: {name}:{line}: the line is longer than {MAX_LINE_LENGTH} bytes; expected \
                 a shorter one\n"
            )
        );
    }
}

#[test]
fn rejects_files_without_games() {
    let temp = tempfile::tempdir().unwrap();
    std::fs::write(temp.path().join("empty"), "").unwrap();
    std::fs::write(temp.path().join("zip"), b"PK\x03\x04\x14\0").unwrap();
    let sheet = |file: &str| basho(temp.path(), &["sheet", file]);
    assert_eq!(sheet("empty").0, Some(64));
    let (code, _, message) = sheet("zip");
    assert_eq!(
        (code, &*message),
        (Some(74), "Error: zip:1: expected UTF-8 or UTF-16 text, found a zip archive\n")
    );
    let (code, _, message) = sheet("nowhere");
    assert!(
        code == Some(74) && message.contains("nowhere") && message.contains("No such file"),
        "{message}"
    );
    let (code, _, message) = sheet(".");
    assert!(code == Some(64) && message.contains("no tournament there"), "{message}");
    assert_eq!(basho(temp.path(), &["sheet", "empty", "--lang", "es"]).0, Some(64));
    assert_eq!(basho(temp.path(), &["sheet", "empty", "--words", "--symbols"]).0, Some(64));
    assert_eq!(basho(temp.path(), &["convert", "empty", "--to", "pdf"]).0, Some(64));
}

/// A record with these moves and this end.
fn faulty(moves: &[&str], reason: Reason, detail: &str) -> GameRecord {
    let moves: Vec<String> = moves.iter().map(|&mv| mv.to_owned()).collect();
    let line = "OLVPYRGB/8/8/8/8/8/8/bgrypvlo b - 0-0 3";
    let sheet = Sheet::of_moves(line.to_owned(), moves[..1].to_vec()).unwrap();
    let printed = convert::print(&sheet, 1, Target::Jsonl).unwrap();
    let mut record: GameRecord = serde_json::from_str(&printed).unwrap();
    let first = record.moves[0].clone();
    record.moves =
        moves.into_iter().map(|text| basho::record::PlayedMove { text, ..first.clone() }).collect();
    GameRecord { result: GameScore::BlackWins, reason, detail: detail.to_owned(), ..record }
}

#[test]
fn moves_faulty_move_to_ending() {
    let temp = tempfile::tempdir().unwrap();
    let path = temp.path().join("faults.jsonl");
    let records = [
        faulty(&["a1a4", "e8e1"], Reason::IllegalMove, "White makes an illegal move: e8e1"),
        faulty(&["a1a4", "e8e7"], Reason::Timeout, "White loses on time (120ms overrun)"),
        faulty(&["a1a4", "?!"], Reason::Garbled, "White gives a garbled answer"),
        faulty(&["a1a4"], Reason::Garbled, "White gives a garbled answer"),
        faulty(&["a1a4"], Reason::Crash, "White disconnects: exit code 1"),
    ];
    write_records(&path, &records);
    let archive = Archive::open(&path, None, None).unwrap();
    let sheets: Vec<Sheet> = archive.games().map(Result::unwrap).collect();
    for (sheet, record) in sheets.iter().zip(&records) {
        assert_eq!(sheet.moves, ["a1a4"], "{sheet:?}");
        assert_eq!(sheet.ending, Some(format!("{}: {}", record.reason, record.detail)));
        let printed = convert::print(sheet, 1, Target::Jsonl).unwrap();
        let again: GameRecord = serde_json::from_str(&printed).unwrap();
        assert_eq!(
            (again.reason, &again.detail, again.result),
            (record.reason, &record.detail, record.result)
        );
    }
    let resigned = Sheet { ending: Some("White resigns".to_owned()), ..sheets[0].clone() };
    let message = convert::print(&resigned, 1, Target::Jsonl).unwrap_err().to_string();
    assert!(message.starts_with(
        "unknown ending `White resigns`; expected `REASON: WHAT HAPPENED` with a reason of \
         `resignation`, `illegal move`"
    ));
}

#[test]
fn prints_unfinished_game_to_be_continued() {
    let sheet = Sheet::of_moves(
        "OLVPYRGB/8/8/8/8/8/8/bgrypvlo b - 0-0 3".to_owned(),
        vec!["a1a4".to_owned()],
    )
    .unwrap();
    let record: GameRecord =
        serde_json::from_str(&convert::print(&sheet, 9, Target::Jsonl).unwrap()).unwrap();
    assert_eq!(
        (record.game, record.result, record.reason),
        (9, GameScore::Unfinished, Reason::Interrupted)
    );
    let temp = tempfile::tempdir().unwrap();
    write_records(&temp.path().join("games.jsonl"), &[record]);
    let text = output(temp.path(), &["sheet", "games.jsonl"]);
    assert!(text.contains("Result: *\n\n") && text.ends_with("\nTo be continued\n"), "{text}");
}

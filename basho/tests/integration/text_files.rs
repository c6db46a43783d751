//! Text files in all encodings and with all line ends that editors and shells write.

use std::fs;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use crate::support::program::oshi;
use crate::support::runner::{BASHO, stderr, stdout};

/// The text in every encoding and with every line end, with the name of each variant.
fn variants(text: &str) -> Vec<(String, Vec<u8>)> {
    let body = text.trim_end_matches('\n');
    let line_ends = [
        ("LF", format!("{body}\n")),
        ("CRLF", format!("{body}\n").replace('\n', "\r\n")),
        ("CR", format!("{body}\n").replace('\n', "\r")),
        ("no last line end", body.to_owned()),
        ("blank lines at the end", format!("{body}\n\n \n")),
    ];
    let utf16 = |text: &str, order: fn(u16) -> [u8; 2]| {
        text.encode_utf16().flat_map(order).collect::<Vec<u8>>()
    };
    let encoded = line_ends.iter().flat_map(|(end, text)| {
        let marked = format!("\u{feff}{text}");
        let utf32 = marked.chars().map(u32::from).flat_map(u32::to_le_bytes).collect();
        [
            ("UTF-8", text.clone().into_bytes()),
            ("UTF-8 with a mark", marked.clone().into_bytes()),
            ("UTF-16LE with a mark", utf16(&marked, u16::to_le_bytes)),
            ("UTF-16BE with a mark", utf16(&marked, u16::to_be_bytes)),
            ("UTF-16LE", utf16(text, u16::to_le_bytes)),
            ("UTF-32LE with a mark", utf32),
        ]
        .map(|(encoding, bytes)| (format!("{encoding}, {end}"), bytes))
    });
    encoded.collect()
}

fn run(program: impl AsRef<Path>, dir: &Path, words: &[&str]) -> Output {
    Command::new(program.as_ref()).args(words).current_dir(dir).output().unwrap()
}

/// Checks that the output of a program is the same for every variant of its input file.
fn assert_same_output(program: impl AsRef<Path>, file: &str, text: &str, words: &[&str]) {
    let temp = tempfile::tempdir().unwrap();
    let mut expected = None;
    for (name, bytes) in variants(text) {
        fs::write(temp.path().join(file), bytes).unwrap();
        let output = run(program.as_ref(), temp.path(), words);
        let stderr = stderr(&output);
        assert!(output.status.success(), "{name}: {stderr}");
        let found = (stdout(&output), stderr);
        assert_eq!(&found, expected.get_or_insert_with(|| found.clone()), "{name}");
    }
}

const ENGINES: [&str; 4] = ["--engine", "cmd=builtin:random", "--engine", "cmd=builtin:greedy"];

/// Plays a small tournament into `run` and returns its manifest and its records.
fn tournament(dir: &Path) -> (String, String) {
    let words = [
        &["match"],
        &ENGINES[..],
        &["--rounds", "2", "--variant", "kamisado-simple", "--into", "run"],
    ]
    .concat();
    assert!(run(BASHO, dir, &words).status.success());
    ["tournament.toml", "games.jsonl"]
        .map(|file| fs::read_to_string(dir.join("run").join(file)).unwrap())
        .into()
}

#[test]
fn reads_score_sheets_in_all_encodings() {
    let temp = tempfile::tempdir().unwrap();
    tournament(temp.path());
    let sheets =
        String::from_utf8(run(BASHO, temp.path(), &["sheet", "run", "--lang", "fr"]).stdout)
            .unwrap();
    assert_same_output(
        BASHO,
        "sheets.txt",
        &sheets.replace("random", "Zoë 将"),
        &["sheet", "sheets.txt", "--parse"],
    );
}

#[test]
fn reads_records_in_all_encodings() {
    let temp = tempfile::tempdir().unwrap();
    let (_, games) = tournament(temp.path());
    assert_same_output(
        BASHO,
        "g.jsonl",
        &games,
        &["convert", "g.jsonl", "--variant", "kamisado-simple", "--to", "moves"],
    );
}

#[test]
fn reads_lists_of_moves_in_all_encodings() {
    let moves = "# a comment\na1a5 d8d4\nstartpos moves b1b5\n";
    assert_same_output(BASHO, "moves.txt", moves, &["convert", "moves.txt", "--to", "sheet"]);
}

#[test]
fn reads_openings_in_all_encodings() {
    let words = [&["match"], &ENGINES[..], &["--rounds", "1", "--openings", "file=o.txt"]].concat();
    let temp = tempfile::tempdir().unwrap();
    for (name, bytes) in variants("# an opening\na1a5\nb1b5\n") {
        fs::write(temp.path().join("o.txt"), bytes).unwrap();
        let output = run(BASHO, temp.path(), &words);
        assert!(output.status.success(), "{name}: {}", stderr(&output));
    }
}

#[test]
fn reads_tournament_files_in_all_encodings() {
    let engines =
        "[[engine]]\ncmd = 'builtin:random'\nname = 'Zoë'\n[[engine]]\ncmd = 'builtin:greedy'\n";
    let temp = tempfile::tempdir().unwrap();
    for (name, bytes) in variants(&format!("rounds = 1\n\n{engines}")) {
        fs::write(temp.path().join("t.toml"), bytes).unwrap();
        let output = run(BASHO, temp.path(), &["run", "t.toml"]);
        assert!(output.status.success(), "{name}: {}", stderr(&output));
        assert!(stdout(&output).contains("Zoë"), "{name}");
    }
}

#[test]
fn reports_folder_in_all_encodings() {
    let temp = tempfile::tempdir().unwrap();
    let (manifest, games) = tournament(temp.path());
    let report = || {
        let output = run(BASHO, temp.path(), &["report", "run"]);
        assert!(output.status.success() && output.stderr.is_empty(), "{}", stderr(&output));
        output.stdout
    };
    let expected = report();
    for (name, bytes) in variants(&games) {
        fs::write(temp.path().join("run/games.jsonl"), bytes).unwrap();
        assert_eq!(report(), expected, "{name}");
    }
    for (name, bytes) in variants(&manifest) {
        fs::write(temp.path().join("run/tournament.toml"), bytes).unwrap();
        assert_eq!(report(), expected, "{name}");
    }
}

#[test]
fn resumes_folder_in_utf8_only() {
    let temp = tempfile::tempdir().unwrap();
    let (_, games) = tournament(temp.path());
    let path = temp.path().join("run/games.jsonl");
    let kept: String = games.lines().take(3).map(|line| format!("{line}\n")).collect();
    for (name, bytes) in variants(&kept) {
        fs::write(&path, &bytes).unwrap();
        let output = run(BASHO, temp.path(), &["resume", "run"]);
        let printed = stderr(&output);
        if name.starts_with("UTF-8") {
            assert!(output.status.success(), "{name}: {printed}");
            let moves = run(BASHO, temp.path(), &["convert", "run", "--to", "moves"]);
            assert!(moves.status.success(), "{name}: {}", stderr(&moves));
            assert_eq!(moves.stdout.split(|&byte| byte == b'\n').count(), 5, "{name}");
        } else {
            assert!(
                output.status.code() == Some(74)
                    && printed.contains("expected UTF-8 to append games"),
                "{name}: {printed}"
            );
            assert_eq!(fs::read(&path).unwrap(), bytes, "{name}");
        }
    }
}

#[test]
fn engine_reads_commands_in_all_encodings() {
    let temp = tempfile::tempdir().unwrap();
    let mut expected = None;
    for (name, bytes) in variants("uci\nposition startpos moves a1a5\ngo nodes 5\nd\n") {
        fs::write(temp.path().join("commands"), bytes).unwrap();
        let input = Stdio::from(fs::File::open(temp.path().join("commands")).unwrap());
        let output = Command::new(oshi()).stdin(input).output().unwrap();
        let replies = stdout(&output);
        let replies: Vec<String> =
            replies.lines().filter(|line| !line.starts_with("info")).map(str::to_owned).collect();
        assert!(replies.contains(&"uciok".to_owned()), "{name}: {replies:?}");
        assert_eq!(&replies, expected.get_or_insert_with(|| replies.clone()), "{name}");
    }
}

#[test]
fn refuses_files_that_are_not_text_in_one_line() {
    let temp = tempfile::tempdir().unwrap();
    tournament(temp.path());
    let cases: [(&[u8], &str); 4] = [
        (b"\x1f\x8b\x08\0\0\0\0\0\0\x03\xab\xae\x05\0", "found a gzip archive"),
        (b"PK\x03\x04\x14\0\0\0\x08\0", "found a zip archive"),
        (b"\x01\x02\0\x03\0\n", "found binary data"),
        (b"# J\xfcrgen\na1a5\n", "found byte 0xfc on line 1 (Latin-1?)"),
    ];
    let openings = [&["match"], &ENGINES[..], &["--openings", "file=f"]].concat();
    for (bytes, expected) in cases {
        fs::write(temp.path().join("f"), bytes).unwrap();
        fs::write(temp.path().join("run/tournament.toml"), bytes).unwrap();
        let is_other = !expected.contains("Latin-1");
        for words in [
            &["run", "f"][..],
            &["report", "run"],
            &openings,
            &["sheet", "f"],
            &["convert", "f", "--to", "moves"],
        ] {
            // In lists of games, only the line is rejected.
            if is_other || !matches!(words[0], "sheet" | "convert") {
                let output = run(BASHO, temp.path(), words);
                let printed = stderr(&output);
                assert!(
                    !output.status.success() && printed.contains(expected),
                    "{words:?}: {printed}"
                );
                assert_eq!(printed.lines().count(), 1, "{words:?}: {printed}");
            }
        }
    }
}

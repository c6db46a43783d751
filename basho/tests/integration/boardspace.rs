//! Games of Boardspace: each file in `tests/data/boardspace` has a text with the expected games.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use basho::records::convert::{Archive, Target, TextForm, print};
use basho::sheet::Sheet;

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/boardspace")
}

/// The files with games, and the expected texts.
fn files() -> Vec<(PathBuf, String)> {
    let all = fs::read_dir(folder()).unwrap().map(|entry| entry.unwrap().path());
    let games = all.filter(|path| path.extension().is_some_and(|extension| extension == "sgf"));
    games
        .map(|path| (path.clone(), fs::read_to_string(path.with_extension("txt")).unwrap()))
        .collect()
}

/// The contents of a sheet, one per line.
fn described(sheet: &Sheet) -> String {
    let [black, white] = &sheet.seats;
    let mut text = format!("black {}\nwhite {}\n", black.name, white.name);
    if let Some(date) = &sheet.date {
        writeln!(text, "date {date}").unwrap();
    }
    writeln!(text, "start {}\nresult {}", sheet.start, sheet.result).unwrap();
    if let Some(ending) = &sheet.ending {
        writeln!(text, "ending {ending}").unwrap();
    }
    writeln!(text, "moves {}", sheet.moves.join(" ")).unwrap();
    text
}

#[test]
fn reads_every_file_as_expected() {
    let files = files();
    assert!(files.len() >= 12);
    for (path, expected) in files {
        let archive = Archive::open(&path, None, None).unwrap();
        assert_eq!(archive.form(), TextForm::Boardspace, "{path:?}");
        let mut read = String::new();
        for (line, game) in archive.entries() {
            match game {
                Ok(sheet) => {
                    assert_eq!(sheet.check(), Ok("kamisado-simple"), "{path:?}");
                    let gap = if read.is_empty() { "" } else { "\n" };
                    read += &format!("{gap}{}", described(&sheet));
                }
                Err(fault) if fault.keeps_plies() || read.is_empty() => {
                    writeln!(read, "fault {line} {fault}").unwrap()
                }
                Err(fault) => writeln!(read, "\nfault {line} {fault}").unwrap(),
            }
        }
        assert_eq!(read, expected, "{path:?}");
    }
}

#[test]
fn prints_every_game_in_every_form() {
    for (path, _) in files() {
        for sheet in Archive::open(&path, None, None).unwrap().games().filter_map(Result::ok) {
            print(&sheet, 1, Target::Moves).unwrap();
            let text = sheet.print(Default::default(), Default::default()).unwrap();
            let again = basho::sheet::parse(text.as_bytes());
            assert!(
                matches!(again.as_slice(), [(1, Ok(same))] if *same == sheet),
                "{path:?}\n{text}\n{again:?}"
            );
            let ending = sheet.ending.as_deref().unwrap_or_default();
            if ending.is_empty()
                || ending.starts_with("resignation: ")
                || ending.starts_with("timeout: ")
            {
                print(&sheet, 1, Target::Jsonl).unwrap();
            }
        }
    }
}

//! Shutdown during long requests and on a full disk, temporary files, and failed deletions.

use std::fs;
use std::path::PathBuf;

use serde_json::{Value, json};

use crate::support::{Server, Tab, person};

/// An import without a game that takes minutes unless it is cancelled.
fn long_import() -> Value {
    json!({"do": "import", "text": "x y z\n".repeat(2_300_000)})
}

#[cfg(target_os = "linux")]
#[test]
fn shuts_down_during_an_import_of_bounded_memory() {
    let server = Server::start(&[]);
    let before = server.resident();
    let mut tab = server.tab();
    tab.send(long_import());
    server.wait_until_busy();
    let after = server.resident();
    assert!(after < before + 300_000, "{before} kB before, {after} kB during the import");
    assert!(server.terminate().success());
}

#[cfg(target_os = "linux")]
#[test]
fn cancels_an_import_when_its_tab_closes() {
    let server = Server::start(&[]);
    let mut tab = server.tab();
    tab.send(long_import());
    server.wait_until_busy();
    drop(tab);
    server.wait_until_idle();
}

#[test]
fn handles_requests_sent_before_the_tab_closed() {
    let server = Server::start(&[]);
    let mut tab = server.tab();
    let game = tab.new_game("kamisado-standard", [person(), person()]);
    tab.send(json!({"do": "import", "text": "x y z\n".repeat(20_000)}));
    tab.send(json!({"do": "play", "game": game["id"], "node": 0, "move": "a1a5"}));
    tab.close();
    let mut other = server.tab();
    let open = other.ask(json!({"do": "open", "game": game["id"]}));
    if open["nodes"].as_array().unwrap().len() < 2 {
        other.until(|message| message["is"] == "node");
    }
}

#[test]
fn second_signal_ends_at_once() {
    let server = Server::start(&[]);
    // An incomplete request delays the shutdown by a second.
    let mut stranger = std::net::TcpStream::connect(("127.0.0.1", server.port)).unwrap();
    std::io::Write::write_all(&mut stranger, b"G").unwrap();
    let _tab = server.tab();
    let code = server.signal("kill -TERM $PID; kill -INT $PID").code();
    assert!(matches!(code, Some(130 | 143)), "{code:?}");
}

/// Makes every save fail by replacing the folder of the games by a file. Works for root, too.
struct FullDisk {
    games: PathBuf,
    away: PathBuf,
}

impl FullDisk {
    fn of(server: &Server) -> FullDisk {
        let disk = FullDisk {
            games: server.data.path().join("games"),
            away: server.data.path().join("away"),
        };
        fs::rename(&disk.games, &disk.away).unwrap();
        fs::write(&disk.games, "").unwrap();
        disk
    }

    fn free(&self) {
        fs::remove_file(&self.games).unwrap();
        fs::rename(&self.away, &self.games).unwrap();
    }
}

/// Plays three moves of a new game while the disk is full.
fn play_on_a_full_disk(server: &Server, tab: &mut Tab) -> (Value, FullDisk) {
    let game = tab.new_game("kamisado-standard", [person(), person()]);
    let disk = FullDisk::of(server);
    let mut node = json!({"id": 0, "legal": game["nodes"][0]["legal"]});
    for number in 0..3 {
        let text = node["legal"][number][0].as_str().unwrap().to_owned();
        node = tab.play(&game, &node, &text).0;
    }
    (game["id"].clone(), disk)
}

fn moves_after_restart(server: Server, game: &Value) -> usize {
    let data = server.kill();
    let server = Server::start_in(data, &[]);
    server.tab().ask(json!({"do": "open", "game": game}))["nodes"].as_array().unwrap().len() - 1
}

#[test]
fn saves_moves_of_a_full_disk_at_shutdown() {
    let mut server = Server::start(&[]);
    let mut tab = server.tab();
    let (game, disk) = play_on_a_full_disk(&server, &mut tab);
    tab.ask(json!({"do": "close", "game": game}));
    disk.free();
    assert!(server.stop().success());
    assert_eq!(moves_after_restart(server, &game), 3);
}

#[test]
fn saves_moves_of_a_full_disk_once_there_is_room() {
    let server = Server::start(&[]);
    let mut tab = server.tab();
    let (game, disk) = play_on_a_full_disk(&server, &mut tab);
    // A later tab gets the message, too.
    let warning = server.tab().until(|message| message["is"] == "message");
    assert!(warning["text"].as_str().unwrap().contains("cannot save the game"), "{warning}");
    disk.free();
    tab.until(|message| message["text"] == "all games are saved again");
    assert_eq!(moves_after_restart(server, &game), 3);
}

#[test]
fn names_unsaved_games_at_shutdown() {
    let mut server = Server::start_logged(&[]);
    let mut tab = server.tab();
    let (game, _disk) = play_on_a_full_disk(&server, &mut tab);
    assert_eq!(server.stop().code(), Some(1));
    let log = server.log();
    let words =
        format!("cannot save 1 game: `{}` (kamisado-standard, 3 plies): ", game.as_str().unwrap());
    assert!(log.contains(&words) && log.contains("expected room for files in `"), "{log}");
}

#[test]
fn keeps_a_game_whose_file_cannot_be_deleted() {
    let server = Server::start(&[]);
    let mut tab = server.tab();
    let game = tab.new_game("kamon", [person(), person()]);
    let id = game["id"].as_str().unwrap();
    let file = server.data.path().join("games").join(format!("{id}.json"));
    fs::remove_file(&file).unwrap();
    // Even root cannot unlink a folder.
    fs::create_dir(&file).unwrap();
    let error = tab.error(json!({"do": "delete", "game": id}));
    assert!(error.contains("cannot delete the game's file"), "{error}");
    assert_eq!(tab.ask(json!({"do": "games"}))["games"].as_array().unwrap().len(), 1);
    tab.ask(json!({"do": "open", "game": id}));
    fs::remove_dir(&file).unwrap();
    tab.ask(json!({"do": "delete", "game": id}));
    assert_eq!(tab.ask(json!({"do": "games"}))["games"], json!([]));
}

#[test]
fn removes_only_temporary_files_at_start() {
    let data = Server::start(&[]).kill();
    let games = data.path().join("games");
    let drafts = [".tmpAb3dEf", ".draft-Ab3dEf"];
    let others = [".tmpfile", "tmpAb3dEf", ".draft-", "notes.txt", ".tmpAb3dE."];
    for name in drafts.iter().chain(&others) {
        fs::write(games.join(name), "{\"format\":1").unwrap();
    }
    let _server = Server::start_in(data, &[]);
    drafts.iter().for_each(|name| assert!(!games.join(name).exists(), "{name}"));
    others.iter().for_each(|name| assert!(games.join(name).exists(), "{name}"));
}

#[test]
fn leaves_no_temporary_file_after_a_restart() {
    let mut data = tempfile::tempdir().unwrap();
    for _ in 0..5 {
        let server = Server::start_in(data, &[]);
        let mut tab = server.tab();
        tab.send(json!({"do": "import", "text": "position startpos moves a1a5\n".repeat(200)}));
        tab.until(|message| message["is"] == "games");
        data = server.kill();
    }
    let server = Server::start_in(data, &[]);
    let names = fs::read_dir(server.data.path().join("games")).unwrap();
    for name in names.map(|entry| entry.unwrap().file_name().into_string().unwrap()) {
        assert!(name.len() == 21 && name.ends_with(".json"), "{name}");
    }
}

//! The report of a very large tournament.

use std::fs::{self, File};
use std::io::{BufWriter, Write};
use std::path::Path;
use std::process::Command;

use rand::SeedableRng;
use rand::seq::IndexedRandom;
use rand_chacha::ChaCha8Rng;
use serde_json::json;

use basho::openings::Book;
use basho::records::manifest::{self, Manifest};
use basho::shard::Shard;
use basho::sheet::GameScore;
use oshi::game::{Game, Player};
use oshi::games::kamisado::{Match, Target};

use crate::support::runner::{BASHO, stderr};

/// Writes a tournament of random moves in standard matches, as `basho` would record it.
fn write_random_games(dir: &Path, pairs: u64) {
    let text = format!(
        "shard = '1/1'\n[tournament]\nrounds = {pairs}\nopenings = {{ random_start = true }}\n\
         engine = [{{ cmd = 'builtin:random', name = 'a' }}, {{ cmd = 'builtin:random', name = \
         'b' }}]\n"
    );
    let manifest: Manifest = toml::from_str(&text).unwrap();
    assert_eq!(manifest.shard, Shard::WHOLE);
    manifest::create(dir, &manifest).unwrap();
    let schedule = manifest.tournament.schedule();
    let book = Book::new(&manifest.tournament.openings, &schedule, Match::start(Target::Standard))
        .unwrap();
    let mut file = BufWriter::new(File::create(dir.join("games.jsonl")).unwrap());
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    for number in 1..=2 * pairs {
        let game = schedule.game(number).unwrap();
        let opening = book.opening(&schedule, game.pair.round).unwrap();
        let (mut position, mut moves) = (opening.position(), Vec::new());
        while let Some(&mv) = position.legal_moves().choose(&mut rng) {
            let text = mv.to_string();
            moves.push(json!({ "move": text, "ms": 100.125, "nodes": 100_000, "score": "cp 12" }));
            position.play(mv);
        }
        let player = |player: Player| {
            let name = manifest.tournament.engines[game.engine_of(player)].name.clone().unwrap();
            json!({ "name": name, "limit": "", "seed": game.seed_of(player), "options": {} })
        };
        let record = json!({
            "format": 1,
            "game": number,
            "pair": game.pair.number + 1,
            "round": game.pair.round + 1,
            "black": player(Player::Black),
            "white": player(Player::White),
            "opening": { "start": opening.start_line(), "moves": [] },
            "moves": moves,
            "result": GameScore::from(position.outcome().unwrap()),
            "reason": "normal",
            "detail": "over",
        });
        serde_json::to_writer(&mut file, &record).unwrap();
        file.write_all(b"\n").unwrap();
    }
    file.flush().unwrap();
}

#[test]
#[ignore = "writes 600 MB: `basho report` of 200,000 games, within 200 MB of memory"]
fn reports_200000_games_in_200_mb() {
    let temp = tempfile::tempdir().unwrap();
    let dir = temp.path().join("run");
    write_random_games(&dir, 100_000);
    let size = fs::metadata(dir.join("games.jsonl")).unwrap().len();
    let begin = std::time::Instant::now();
    // `ulimit -v` limits the address space, in KiB, and so also the memory.
    let limited = "ulimit -v 204800; exec \"$0\" report \"$1\"";
    let output = Command::new("sh").args(["-c", limited, BASHO]).arg(&dir).output().unwrap();
    println!(
        "{} MB in {:.1?}\n{}",
        size / 1_000_000,
        begin.elapsed(),
        String::from_utf8_lossy(&output.stdout)
    );
    assert_eq!((output.status.code(), output.stderr.len()), (Some(0), 0), "{}", stderr(&output));
    assert!(String::from_utf8_lossy(&output.stdout).contains("Games: 200000"));
}

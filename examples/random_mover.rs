//! A bot that plays random legal moves of a standard Kamisado match, with the rules of the library.
//! To run: `cargo build --release --example random_mover`, then `docs/bot.md` has the next steps.

use std::io::{self, BufRead, Write};

use oshi::game::{Game, Text};
use oshi::games::kamisado::{Match, Target};
use oshi::protocol::{Command, Start};
use rand::SeedableRng;
use rand::seq::IndexedRandom;
use rand_chacha::ChaCha8Rng;

const HANDSHAKE: &str = "id name random mover
id author the oshi project
option name UCI_Variant type combo default kamisado-standard var kamisado-standard
option name Seed type spin default 0 min 0 max 4294967295
uciok";

struct Bot {
    position: Match,
    rng: ChaCha8Rng,
}

impl Bot {
    /// Returns the answer to a line, which may be empty.
    fn answer(&mut self, command: Command) -> anyhow::Result<String> {
        match command {
            Command::Uci => return Ok(HANDSHAKE.to_owned()),
            Command::IsReady => return Ok("readyok".to_owned()),
            Command::SetOption { name, value: Some(seed) } if name.eq_ignore_ascii_case("Seed") => {
                self.rng = ChaCha8Rng::seed_from_u64(seed.parse()?);
            }
            Command::Position { start, moves } => self.position = set_up(start, &moves)?,
            Command::Go(_) => {
                return Ok(match self.position.legal_moves().choose(&mut self.rng) {
                    Some(best) => format!("info score cp 0 nodes 1\nbestmove {best}"),
                    None => "bestmove (none)".to_owned(),
                });
            }
            _ => {}
        }
        Ok(String::new())
    }
}

fn set_up(start: Start, moves: &[String]) -> anyhow::Result<Match> {
    let mut position = match start {
        Start::StartPos => Match::start(Target::Standard),
        Start::Fen(line) => line.parse()?,
        Start::Random(seed) => {
            Match::start(Target::Standard).random_start(&mut ChaCha8Rng::seed_from_u64(seed))
        }
    };
    for text in moves {
        position.play(position.parse_move(text)?);
    }
    Ok(position)
}

fn main() -> anyhow::Result<()> {
    let mut output = io::stdout().lock();
    let mut bot =
        Bot { position: Match::start(Target::Standard), rng: ChaCha8Rng::seed_from_u64(0) };
    for line in io::stdin().lock().lines() {
        let answer = match Command::parse(&line?) {
            Ok(Some(Command::Quit)) => break,
            Ok(None) => continue,
            Ok(Some(command)) => bot.answer(command),
            Err(error) => Err(error.into()),
        };
        match answer {
            Ok(answer) if answer.is_empty() => {}
            Ok(answer) => writeln!(output, "{answer}")?,
            Err(error) => writeln!(output, "info string error: {error}")?,
        }
        output.flush()?;
    }
    Ok(())
}

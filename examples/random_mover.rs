//! The smallest engine that speaks the protocol: it plays a random legal move of a standard Kamisado match at once.
//!
//! A template for a bot, and a way to measure the overhead of the tournament runner:
//! `basho match --engine cmd=target/release/examples/random_mover name=a --engine cmd=… name=b --each nodes=1`.

use std::io::{self, BufRead, Write};

use oshi::game::{Game, Text};
use oshi::games::kamisado::{Match, Target};
use oshi::protocol::{Command, Start};
use rand::SeedableRng;
use rand::seq::IndexedRandom;
use rand_chacha::ChaCha8Rng;

/// The only game that it plays.
const VARIANT: &str = "kamisado-standard";

fn main() -> anyhow::Result<()> {
    let mut output = io::stdout().lock();
    let mut position = Match::start(Target::Standard);
    let mut rng = ChaCha8Rng::seed_from_u64(0);
    for line in io::stdin().lock().lines() {
        match Command::parse(&line?) {
            Ok(Some(Command::Uci)) => {
                writeln!(output, "id name random mover\nid author the oshi project")?;
                writeln!(
                    output,
                    "option name UCI_Variant type combo default {VARIANT} var {VARIANT}"
                )?;
                writeln!(
                    output,
                    "option name Seed type spin default 0 min 0 max 4294967295\nuciok"
                )?;
            }
            Ok(Some(Command::IsReady)) => writeln!(output, "readyok")?,
            Ok(Some(Command::SetOption { name, value: Some(seed) }))
                if name.eq_ignore_ascii_case("Seed") =>
            {
                rng = ChaCha8Rng::seed_from_u64(seed.parse()?);
            }
            Ok(Some(Command::Position { start, moves })) => position = set_up(start, &moves)?,
            Ok(Some(Command::Go(_))) => match position.legal_moves().choose(&mut rng) {
                Some(best) => writeln!(output, "info score cp 0 nodes 1\nbestmove {best}")?,
                None => writeln!(output, "bestmove (none)")?,
            },
            Ok(Some(Command::Quit)) => break,
            Ok(_) => {}
            Err(error) => writeln!(output, "info string error: {error}")?,
        }
        output.flush()?;
    }
    Ok(())
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

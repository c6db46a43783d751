//! A frontend for the terminal: play against any engine that speaks the protocol, at any game that it knows.
//!
//! `cargo run --release --example frontend -- target/release/oshi --variant kamon`. Type a move, `back` (two plies)
//! or `quit`.

use std::io::{self, BufRead, BufReader, Lines, Write};
use std::process::{Child, ChildStdin, ChildStdout, Stdio};
use std::time::Duration;

use anyhow::Context;
use clap::Parser;
use oshi::protocol::{Command, GameResult, Go, Query, Reply, Response, Start};

/// Play against an engine in the terminal.
#[derive(Parser)]
struct Arguments {
    /// The engine's program.
    engine: String,
    /// A value of the engine's option `UCI_Variant`.
    #[arg(long, default_value = "kamisado-standard")]
    variant: String,
    /// You are White, and the engine opens.
    #[arg(long)]
    white: bool,
    /// How long the engine thinks about a move, in milliseconds.
    #[arg(long, default_value_t = 1000)]
    movetime: u64,
}

/// An engine's process, spoken to by the types of the protocol.
struct Engine {
    program: Child,
    input: ChildStdin,
    output: Lines<BufReader<ChildStdout>>,
}

impl Engine {
    fn start(program: &str) -> anyhow::Result<Engine> {
        let mut child = std::process::Command::new(program)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .with_context(|| format!("cannot start the engine `{program}`"))?;
        let input = child.stdin.take().context("the engine has no input")?;
        let output =
            BufReader::new(child.stdout.take().context("the engine has no output")?).lines();
        Ok(Engine { program: child, input, output })
    }

    /// The replies to a command up to the one that ends the answer, and that one.
    fn ask(
        &mut self,
        command: &Command,
        ends: impl Fn(&Reply) -> bool,
    ) -> anyhow::Result<(Vec<Reply>, Reply)> {
        writeln!(self.input, "{command}")?;
        let mut replies = Vec::new();
        loop {
            let reply = Reply::parse(&self.output.next().context("the engine has ended")??)?;
            if ends(&reply) {
                return Ok((replies, reply));
            }
            replies.push(reply);
        }
    }

    /// Sends a command that is answered only by errors; returns the first, if there is one.
    fn tell(&mut self, command: &Command) -> anyhow::Result<Option<String>> {
        writeln!(self.input, "{command}")?;
        let (errors, _) = self.ask(&Command::IsReady, |reply| *reply == Reply::ReadyOk)?;
        Ok(errors.first().map(ToString::to_string))
    }

    fn query(&mut self, query: Query) -> anyhow::Result<Response> {
        match self.ask(&Command::Query(query), |reply| matches!(reply, Reply::Response(_)))? {
            (_, Reply::Response(response)) => Ok(response),
            (_, other) => anyhow::bail!("no answer to a query: {other}"),
        }
    }

    /// Sets up the start and plays the moves.
    fn set_up(&mut self, moves: &[String]) -> anyhow::Result<Option<String>> {
        self.tell(&Command::Position { start: Start::StartPos, moves: moves.to_vec() })
    }

    fn show_board(&mut self) -> anyhow::Result<()> {
        let (board, _) = self.ask(
            &Command::Display,
            |reply| matches!(reply, Reply::Other(line) if line.starts_with("Fen: ")),
        )?;
        board.iter().for_each(|line| println!("{line}"));
        Ok(())
    }

    /// The engine's move; `None` if it has none. Prints its `info` lines meanwhile.
    fn think(&mut self, time: Duration) -> anyhow::Result<Option<String>> {
        let go = Command::Go(Go { move_time: Some(time), ..Go::default() });
        let (infos, answer) = self.ask(&go, |reply| matches!(reply, Reply::BestMove { .. }))?;
        let scored = infos
            .iter()
            .rev()
            .find(|reply| matches!(reply, Reply::Info(info) if info.score.is_some()));
        scored.into_iter().chain([&answer]).for_each(|reply| println!("{reply}"));
        let Reply::BestMove { best, .. } = answer else { return Ok(None) };
        Ok(best)
    }
}

/// Plays until the match is over, or the user types `quit` or ends the input.
fn play(engine: &mut Engine, arguments: &Arguments) -> anyhow::Result<()> {
    let mut moves: Vec<String> = Vec::new();
    let mut input = io::stdin().lines();
    while engine.query(Query::Result)? == Response::Result(GameResult::None) {
        let played = if engine.query(Query::P1Turn)? == Response::Bool(arguments.white) {
            engine
                .think(Duration::from_millis(arguments.movetime))?
                .context("the engine has no move")?
        } else {
            engine.show_board()?;
            print!("your move> ");
            io::stdout().flush()?;
            match input.next().transpose()?.as_deref().map(str::trim) {
                None | Some("quit") => return Ok(()),
                Some("") => continue,
                Some("back") => {
                    moves.truncate(moves.len().saturating_sub(2));
                    engine.set_up(&moves)?;
                    continue;
                }
                Some(text) => text.to_owned(),
            }
        };
        moves.push(played);
        if let Some(error) = engine.set_up(&moves)? {
            println!("{error}");
            moves.pop();
        }
    }
    engine.show_board()
}

fn main() -> anyhow::Result<()> {
    let arguments = Arguments::parse();
    let mut engine = Engine::start(&arguments.engine)?;
    engine.ask(&Command::Uci, |reply| *reply == Reply::UciOk)?;
    let variant = Command::SetOption {
        name: "UCI_Variant".to_owned(),
        value: Some(arguments.variant.clone()),
    };
    anyhow::ensure!(
        engine.tell(&variant)?.is_none(),
        "the engine does not play `{}`",
        arguments.variant
    );
    play(&mut engine, &arguments)?;
    writeln!(engine.input, "{}", Command::Quit)?;
    engine.program.wait()?;
    Ok(())
}

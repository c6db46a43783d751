//! Runs the search over a file of solved positions. Prints the number of right moves, the number
//! of proofs, and the times:
//!
//! ```text
//! cargo run --release -p oshi-suite -- tests/data/kamisado-decide.txt --movetime 10
//! ```
//!
//! A line is `POSITION ;FIELD ;FIELD …`. The field `win`, `draw` or `loss` is the value for the
//! player to move; `bm MOVES` are the moves that keep it.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use anyhow::{Context, bail};
use clap::Parser;
use oshi::game::Searchable;
use oshi::games::notation::Notation;
use oshi::games::{self, SearchVisitor};
use oshi::search::{Control, Limits, MoveTime, Searcher, Settings, Value};

/// Runs the search over a file of solved positions.
#[derive(Parser)]
struct Arguments {
    /// The file of positions.
    file: PathBuf,
    /// Milliseconds for each position.
    #[arg(long, default_value_t = 1000)]
    movetime: u64,
    /// Nodes for each position, instead of a time.
    #[arg(long)]
    nodes: Option<u64>,
    /// Memory of the search, in MiB.
    #[arg(long, default_value_t = 256)]
    hash: usize,
    /// Threads of the search.
    #[arg(long, default_value_t = 1)]
    threads: usize,
    /// Print the positions with a wrong move or proof.
    #[arg(long)]
    verbose: bool,
}

/// The result of one position.
struct Answer {
    time: Duration,
    /// Whether the move is a best move; `None` if the line has no field `bm`.
    move_is_right: Option<bool>,
    /// Whether the proven value is right; `None` if nothing was proven.
    proof_is_right: Option<bool>,
}

fn main() -> anyhow::Result<()> {
    let arguments = Arguments::parse();
    let file = arguments.file.display();
    let text = oshi::text::read(&arguments.file).with_context(|| format!("cannot read {file}"))?;
    let mut answers = Vec::new();
    for (number, line) in (1..)
        .zip(text.lines())
        .filter(|(_, line)| !line.trim().is_empty() && !line.starts_with('#'))
    {
        let (position, fields) = line
            .split_once(';')
            .with_context(|| format!("{file}:{number}: expected `POSITION ;FIELD …`"))?;
        let visitor =
            Problem { fields: fields.split(';').map(str::trim).collect(), arguments: &arguments };
        let answer = games::search_position(position.trim(), visitor)
            .with_context(|| format!("{file}:{number}"))?;
        let answer = answer.with_context(|| format!("{file}:{number}"))?;
        if arguments.verbose
            && (answer.move_is_right == Some(false) || answer.proof_is_right == Some(false))
        {
            println!("wrong: {line}");
        }
        answers.push(answer);
    }
    if answers.is_empty() {
        bail!("{file}: no positions");
    }
    print_summary(&mut answers);
    Ok(())
}

/// One line of the file.
struct Problem<'a> {
    fields: Vec<&'a str>,
    arguments: &'a Arguments,
}

impl SearchVisitor for Problem<'_> {
    type Output = anyhow::Result<Answer>;

    fn visit<G: Searchable + Notation>(self, position: G) -> anyhow::Result<Answer> {
        let Arguments { movetime, nodes, hash, threads, .. } = *self.arguments;
        let mut searcher =
            Searcher::new(Settings { hash_mib: hash, threads, ..Settings::default() });
        let time = MoveTime::exactly(Duration::from_millis(movetime));
        let limits = Limits { nodes, time: nodes.is_none().then_some(time), ..Limits::default() };
        let began = Instant::now();
        let mut proven = None;
        let report = searcher.run(&position, &limits, &Control::default(), &mut |report| {
            let is_proven = report.lines.first().is_some_and(|line| line.value.is_proven());
            proven = proven.or_else(|| is_proven.then(|| began.elapsed()));
        });
        // After proving a loss, the search continues to find the most difficult defence.
        let time = proven.unwrap_or_else(|| began.elapsed());
        let line = report.lines.first().context("no legal move")?;
        let best = self.fields.iter().find_map(|field| field.strip_prefix("bm "));
        let played = line.moves.first().map(ToString::to_string);
        let move_is_right =
            best.map(|best| best.split(' ').any(|mv| Some(mv) == played.as_deref()));
        let value = match line.value {
            Value::Win(_) => Some("win"),
            Value::Draw => Some("draw"),
            Value::Loss(_) => Some("loss"),
            Value::WinProbability(_) => None,
        };
        let given = self.fields.iter().find(|field| matches!(**field, "win" | "draw" | "loss"));
        let proof_is_right = value.map(|value| given.is_none_or(|given| *given == value));
        Ok(Answer { time, move_is_right, proof_is_right })
    }
}

fn print_summary(answers: &mut [Answer]) {
    answers.sort_by_key(|answer| answer.time);
    let count = answers.len();
    let asked = answers.iter().filter(|answer| answer.move_is_right.is_some()).count();
    let right = answers.iter().filter(|answer| answer.move_is_right == Some(true)).count();
    let proven = answers.iter().filter(|answer| answer.proof_is_right == Some(true)).count();
    let contradicted = answers.iter().filter(|answer| answer.proof_is_right == Some(false)).count();
    if asked > 0 {
        println!(
            "right moves   : {right} of {asked} ({:.1} %)",
            100.0 * right as f64 / asked as f64
        );
    }
    println!("proven        : {proven} of {count}");
    println!("wrong proofs  : {contradicted}");
    let at = |percent: usize| {
        answers[(count * percent / 100).min(count - 1)].time.as_secs_f64() * 1000.0
    };
    println!("milliseconds  : median {:.1}, 95 % {:.1}, worst {:.1}", at(50), at(95), at(100));
}

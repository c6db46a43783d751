//! `basho`: the tournament runner. See `basho.md`.

#![deny(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

#[cfg(not(unix))]
compile_error!(
    "basho runs on Unix; build the engine alone with `cargo build --no-default-features`"
);

mod board;
mod check;
mod fastchess;
mod file;
mod games;
mod log;
mod manual;
mod play;
mod report;
mod stats;
mod watch;

use std::path::PathBuf;
use std::process::ExitCode;

use clap::error::ErrorKind;
use clap::{Parser, Subcommand};

use basho::output::terminal;
use basho::play::failure::TournamentError;
use basho::play::process::SpawnError;
use basho::records::folder::RecordError;
use basho::records::validate::ValidatorError;

/// Tournaments between engines for Kamisado and Kamon.
#[derive(Parser)]
#[command(name = "basho", version, after_help = AFTER_HELP)]
struct Cli {
    /// Log all lines to and from engines to stderr.
    #[arg(long, global = true)]
    verbose: bool,
    /// Log them to the end of this file instead.
    #[arg(long, global = true, value_name = "FILE")]
    log: Option<PathBuf>,
    #[command(subcommand)]
    command: Command,
}

const AFTER_HELP: &str = "A command line of fastchess is taken as it is: basho -engine cmd=A -engine cmd=B -each tc=10+0.1 -rounds 100\n\n\
Exit codes: 0 done, or SPRT accepted H1; 1 SPRT accepted H0; 2 SPRT undecided at the cap; \
3 an engine fault in a sequential test or under --strict, or a failed check; 64 usage; 74 a file, a folder or the output cannot be read or written, or a game \
was left out; 75 no engine can be started any more, `resume` goes on when that is mended; 130 interrupted.";

#[derive(Subcommand)]
enum Command {
    /// Play the tournament of a file.
    Run(play::Run),
    /// Play a tournament given by options like those of fastchess.
    Match(play::Statement),
    /// The same, with a sequential test.
    Sprt(play::Statement),
    /// Continue an interrupted tournament: play exactly the games that are missing.
    Resume(play::Resume),
    /// Print the standings of a tournament from its records.
    Report(report::Report),
    /// Draw a position as an SVG picture.
    Board(board::Board),
    /// Make the sequential test of a tournament whose shards are being played, and stop them once it has decided.
    Watch(watch::Watch),
    /// Put the shards of a tournament together.
    Merge(report::Merge),
    /// Print recorded games as score sheets.
    Sheet(games::SheetCommand),
    /// Convert games between records, score sheets and lists of moves.
    Convert(games::Convert),
    /// Calculate Elo, normalized Elo, LOS and LLR from counts of pairs.
    Stats(stats::Calculation),
    /// Check an engine against protocol.md, step by step.
    Check(check::Check),
    /// Print what makes a shell complete these commands.
    Completions(manual::Completions),
    /// Print the manual page, or write those of all commands into a folder.
    Man(manual::Man),
}

impl Command {
    /// Whether it only says what it would do.
    const fn is_dry_run(&self) -> bool {
        matches!(self, Command::Match(statement) | Command::Sprt(statement) if statement.dry_run)
    }
}

/// The greatest exit code of a command that has succeeded: a sequential test that is undecided after all games.
const UNDECIDED: u8 = 2;
const USAGE: u8 = 64;
const FILES: u8 = 74;
const HINDERED: u8 = 75;
const INTERRUPTED: u8 = 130;

fn main() -> ExitCode {
    let fastchess::Translation { words, notes } =
        match fastchess::translate(std::env::args_os().collect()) {
            Ok(translation) => translation,
            Err(error) => {
                terminal::print_error(&format!("Error: {error}"));
                return ExitCode::from(USAGE);
            }
        };
    notes.iter().for_each(|note| terminal::print_error(&format!("Note: {note}")));
    let cli = match Cli::try_parse_from(words) {
        Ok(cli) => cli,
        Err(error) => {
            let is_answer =
                matches!(error.kind(), ErrorKind::DisplayHelp | ErrorKind::DisplayVersion);
            let printed = error.print();
            if is_answer {
                terminal::note(printed);
            }
            return ExitCode::from(when_all_is_written(if is_answer { 0 } else { USAGE }));
        }
    };
    // Where nothing is played, nothing is logged.
    let file = cli.log.as_deref().filter(|_| !cli.command.is_dry_run());
    let begun = log::begin(cli.verbose, file).map_err(anyhow::Error::from);
    let code = begun.and_then(|()| perform(cli.command)).unwrap_or_else(|error| {
        // The message of every error includes those of its causes.
        terminal::print_error(&format!("Error: {error}"));
        exit_code_of(&error)
    });
    ExitCode::from(when_all_is_written(code))
}

/// The exit code of a command that ended with `code`, if its output or the log may not have been written.
fn when_all_is_written(code: u8) -> u8 {
    let output = terminal::failure().map(|error| format!("standard output: {error}"));
    let log = log::failure().map(|error| error.to_string());
    output.into_iter().chain(log).fold(code, |code, failure| {
        terminal::print_error(&format!("Error: {failure}"));
        when_incomplete(code)
    })
}

/// The exit code of a command that ended with `code`, if games may have been left out. Other failures keep their code: a fault, a
/// usage error, an interrupt.
const fn when_incomplete(code: u8) -> u8 {
    if code <= UNDECIDED { FILES } else { code }
}

/// Files that cannot be read or written, and missing resources, have codes of their own; everything else is a usage error, a tournament file or
/// openings that are not there among it.
fn exit_code_of(error: &anyhow::Error) -> u8 {
    let code = |cause: &(dyn std::error::Error + 'static)| {
        if let Some(TournamentError::Program { .. } | TournamentError::Thread(_)) =
            cause.downcast_ref()
        {
            return Some(HINDERED);
        }
        if let Some(error) = cause.downcast_ref::<SpawnError>() {
            return error.is_shortage().then_some(HINDERED);
        }
        if let Some(error) = cause.downcast_ref::<RecordError>() {
            use RecordError::{
                DifferentTournaments, Exists, NoTournament, OtherTournament, Reserved,
            };
            let is_usage = matches!(
                error,
                Exists(_)
                    | Reserved(_)
                    | NoTournament(_)
                    | OtherTournament { .. }
                    | DifferentTournaments { .. }
            );
            return Some(if is_usage { USAGE } else { FILES });
        }
        cause.is::<ValidatorError>().then_some(FILES)
    };
    error.chain().find_map(code).unwrap_or(USAGE)
}

fn perform(command: Command) -> anyhow::Result<u8> {
    match command {
        Command::Run(run) => run.perform(),
        Command::Match(statement) => statement.play("match"),
        Command::Sprt(statement) => statement.test(),
        Command::Resume(resume) => resume.perform(),
        Command::Report(report) => report.perform(),
        Command::Board(board) => board.perform(),
        Command::Watch(watch) => watch.perform(),
        Command::Merge(merge) => merge.perform(),
        Command::Sheet(sheet) => sheet.perform(),
        Command::Convert(convert) => convert.perform(),
        Command::Stats(calculation) => calculation.perform(),
        Command::Check(check) => check.perform(),
        Command::Completions(completions) => completions.perform(),
        Command::Man(man) => man.perform(),
    }
}

//! `basho`: the tournament runner. `docs/tournaments.md` is its manual.

#![deny(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

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
use basho::statistics::sprt::Decision;

/// Tournaments between engines for Kamisado and Kamon.
#[derive(Parser)]
#[command(name = "basho", version, after_help = AFTER_HELP)]
struct Cli {
    /// Log all lines to and from engines to stderr.
    #[arg(long, global = true)]
    verbose: bool,
    /// Append these lines to a file instead.
    #[arg(long, global = true, value_name = "FILE")]
    log: Option<PathBuf>,
    #[command(subcommand)]
    command: Command,
}

const AFTER_HELP: &str = "\
basho also accepts command lines of fastchess: \
basho -engine cmd=A -engine cmd=B -each tc=10+0.1 -rounds 100

Exit codes:
    0  success, or SPRT accepted H1
    1  SPRT accepted H0
    2  SPRT undecided after all games
    3  engine fault in a sequential test or under --strict, or failed check
   64  usage error
   74  a file, a folder or the output cannot be read or written, or a record was left out
   75  an engine cannot be started; run `basho resume` when the cause is removed
  130  interrupted";

#[derive(Subcommand)]
enum Command {
    /// Play the tournament of a file.
    Run(play::Run),
    /// Play a tournament described by options like those of fastchess.
    Match(play::Match),
    /// Play a match with a sequential probability ratio test.
    Sprt(play::Match),
    /// Continue an interrupted tournament by playing exactly its missing games.
    Resume(play::Resume),
    /// Print the standings of a tournament from its records.
    Report(report::Report),
    /// Draw a position as an SVG picture.
    Board(board::Board),
    /// Run the sequential test over shards in progress, and stop them once it has decided.
    Watch(watch::Watch),
    /// Merge the shards of a tournament.
    Merge(report::Merge),
    /// Print recorded games as score sheets.
    Sheet(games::SheetCommand),
    /// Convert games between records, score sheets and lists of moves.
    Convert(games::Convert),
    /// Calculate Elo, normalized Elo, LOS and LLR from counts of pairs.
    Stats(stats::Stats),
    /// Check an engine against the protocol, step by step.
    Check(check::Check),
    /// Print shell completions.
    Completions(manual::Completions),
    /// Print the manual page, or write the pages of all commands to a folder.
    Man(manual::Man),
}

impl Command {
    /// Whether the command only prints the tournament that it would play.
    const fn is_dry_run(&self) -> bool {
        matches!(self, Command::Match(args) | Command::Sprt(args) if args.dry_run)
    }
}

/// Exit code of a sequential test without a decision. Greater codes are failures.
const UNDECIDED: u8 = 2;
/// Exit code of a usage error, like `EX_USAGE` of sysexits.h.
const USAGE: u8 = 64;
/// Exit code of unreadable or unwritable files, like `EX_IOERR`.
const IO_ERROR: u8 = 74;
/// Exit code of engines that cannot be started, like `EX_TEMPFAIL`.
const UNAVAILABLE: u8 = 75;
/// Exit code after a signal: 128 + SIGINT.
const INTERRUPTED: u8 = 130;

fn main() -> ExitCode {
    let fastchess::Translation { arguments, notes } =
        match fastchess::translate(std::env::args_os().collect()) {
            Ok(translation) => translation,
            Err(error) => {
                terminal::print_error(&format!("Error: {error}"));
                return ExitCode::from(USAGE);
            }
        };
    notes.iter().for_each(|note| terminal::print_error(&format!("Note: {note}")));
    let cli = match Cli::try_parse_from(arguments) {
        Ok(cli) => cli,
        Err(error) => {
            let is_requested =
                matches!(error.kind(), ErrorKind::DisplayHelp | ErrorKind::DisplayVersion);
            let printed = error.print();
            if is_requested {
                terminal::note(printed);
            }
            return ExitCode::from(code_after_output(if is_requested { 0 } else { USAGE }));
        }
    };
    // A dry run has no lines to log.
    let log_file = cli.log.as_deref().filter(|_| !cli.command.is_dry_run());
    let started = log::start(cli.verbose, log_file).map_err(anyhow::Error::from);
    let code = started.and_then(|()| execute(cli.command)).unwrap_or_else(|error| {
        // Every error message includes the messages of its causes.
        terminal::print_error(&format!("Error: {error}"));
        exit_code_of(&error)
    });
    ExitCode::from(code_after_output(code))
}

/// Exit code of a command that ended with `code`, unless its output or log is incomplete.
fn code_after_output(code: u8) -> u8 {
    let output = terminal::failure().map(|error| format!("standard output: {error}"));
    let log = log::take_error().map(|error| error.to_string());
    output.into_iter().chain(log).fold(code, |code, error| {
        terminal::print_error(&format!("Error: {error}"));
        code_if_incomplete(code)
    })
}

/// Exit code of a command that ended with `code` and whose games or output are incomplete.
///
/// A failure keeps its own code.
const fn code_if_incomplete(code: u8) -> u8 {
    if code <= UNDECIDED { IO_ERROR } else { code }
}

/// Exit code of a sequential test.
const fn decision_code(decision: Decision) -> u8 {
    match decision {
        Decision::AcceptH1 => 0,
        Decision::AcceptH0 => 1,
        Decision::Continue => UNDECIDED,
        Decision::Void => 3,
    }
}

/// Maps an error to its exit code: I/O errors, missing resources, or else a usage error.
///
/// An unreadable tournament file or file of openings is a usage error.
fn exit_code_of(error: &anyhow::Error) -> u8 {
    let code = |cause: &(dyn std::error::Error + 'static)| {
        if let Some(TournamentError::Program { .. } | TournamentError::Thread(_)) =
            cause.downcast_ref()
        {
            return Some(UNAVAILABLE);
        }
        if let Some(error) = cause.downcast_ref::<SpawnError>() {
            return error.is_shortage().then_some(UNAVAILABLE);
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
            return Some(if is_usage { USAGE } else { IO_ERROR });
        }
        cause.is::<ValidatorError>().then_some(IO_ERROR)
    };
    error.chain().find_map(code).unwrap_or(USAGE)
}

fn execute(command: Command) -> anyhow::Result<u8> {
    match command {
        Command::Run(run) => run.execute(),
        Command::Match(args) => args.play("match"),
        Command::Sprt(args) => args.play_sprt(),
        Command::Resume(resume) => resume.execute(),
        Command::Report(report) => report.execute(),
        Command::Board(board) => board.execute(),
        Command::Watch(watch) => watch.execute(),
        Command::Merge(merge) => merge.execute(),
        Command::Sheet(sheet) => sheet.execute(),
        Command::Convert(convert) => convert.execute(),
        Command::Stats(stats) => stats.execute(),
        Command::Check(check) => check.execute(),
        Command::Completions(completions) => completions.execute(),
        Command::Man(man) => man.execute(),
    }
}

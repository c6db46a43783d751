//! `basho`: the tournament runner. See `basho.md`.

#![deny(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

#[cfg(not(unix))]
compile_error!("basho runs on Unix; build the engine alone with `cargo build --bin oshi`");

use std::io::{Write, stderr, stdout};
use std::num::{NonZeroU32, NonZeroU64, NonZeroUsize};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, anyhow};
use clap::error::ErrorKind;
use clap::{Arg, ArgAction, ArgMatches, Args, FromArgMatches, Parser, Subcommand};
use toml::{Table, Value};

use oshi::games::Variant;
use oshi::games::language::Language;
use oshi::games::notation::Form;
use oshi::runner::config::{ChildProgram, Tournament, VariantName};
use oshi::runner::convert::{self, Archive, Target, TextForm};
use oshi::runner::interrupt::Interrupt;
use oshi::runner::record::{self, Manifest, RecordError};
use oshi::runner::schedule::Shard;
use oshi::runner::sprt::{DEFAULT_RATE, Decision, Model, Sprt};
use oshi::runner::stats::Pentanomial;
use oshi::runner::tournament::{self, Ending, TournamentError};
use oshi::runner::{check, merge, report, words};
use oshi::sheet::Sheet;

/// Tournaments between engines for Kamisado and Kamon.
#[derive(Parser)]
#[command(version, after_help = EXIT_CODES)]
struct Cli {
    /// Log all that engines are told and say to stderr.
    #[arg(long, global = true)]
    verbose: bool,
    #[command(subcommand)]
    command: Command,
}

const EXIT_CODES: &str = "Exit codes: 0 done, or SPRT accepted H1; 1 SPRT accepted H0; 2 SPRT undecided at the cap; \
3 an engine fault under --strict, or a failed check; 64 usage; 74 a file or folder, or a game in it, cannot be read or written; \
130 interrupted.";

#[derive(Subcommand)]
enum Command {
    /// Play the tournament of a file.
    Run {
        /// The tournament file.
        file: PathBuf,
        #[command(flatten)]
        place: Place,
        #[command(flatten)]
        overrides: Overrides,
    },
    /// Play a tournament that is stated here, in fastchess's words.
    Match(Statement),
    /// The same, with a sequential test.
    Sprt(Statement),
    /// Go on with an interrupted tournament: play exactly the games that are missing.
    Resume {
        /// Its folder.
        dir: PathBuf,
        /// Games played at once, if not as before.
        #[arg(long)]
        concurrency: Option<NonZeroUsize>,
    },
    /// Print the standings of a tournament from its records.
    Report {
        /// Its folder.
        dir: PathBuf,
        /// Print every game as well, in order.
        #[arg(long)]
        games: bool,
    },
    /// Put the shards of a tournament together.
    Merge {
        /// Their folders.
        #[arg(required = true)]
        dirs: Vec<PathBuf>,
        /// The folder to make.
        #[arg(long)]
        into: PathBuf,
    },
    /// Print recorded games as score sheets.
    Sheet {
        #[command(flatten)]
        games: Games,
        #[command(flatten)]
        notation: Notation,
        /// Read score sheets back to moves instead, and find the first ply of each that does not fit.
        #[arg(long, conflicts_with_all = ["from", "lang", "symbols", "words"])]
        parse: bool,
    },
    /// Convert games between records, score sheets and lists of moves.
    Convert {
        #[command(flatten)]
        games: Games,
        #[command(flatten)]
        notation: Notation,
        /// The form to print: records, score sheets, or one `position` command a game.
        #[arg(long, value_parser = TextForm::ALL.map(TextForm::name))]
        to: String,
    },
    /// Calculate Elo, normalized Elo, LOS and LLR from counts of pairs.
    Stats(Calculation),
    /// Check an engine against protocol.md, step by step.
    Check {
        /// What to play.
        #[arg(long, default_value_t = Variant::default().name().to_owned())]
        variant: String,
        /// The engine and its arguments.
        #[arg(required = true, trailing_var_arg = true, allow_hyphen_values = true)]
        cmd: Vec<String>,
    },
}

/// Where a tournament is played.
#[derive(Args)]
struct Place {
    /// The folder for the records, to be made; by default runs/NAME, or runs/NAME-2 and so on.
    #[arg(long)]
    into: Option<PathBuf>,
    /// Play only the i-th of n equal parts of the schedule.
    #[arg(long, value_name = "I/N", default_value_t = String::from(Shard::WHOLE))]
    shard: String,
}

/// What may be said otherwise than in the file.
#[derive(Args)]
struct Overrides {
    /// Pairs of games for each pairing; with a sequential test, the most that it may take.
    #[arg(long)]
    rounds: Option<NonZeroU32>,
    /// Games played at once.
    #[arg(long)]
    concurrency: Option<NonZeroUsize>,
    /// Draws the openings and the engines' seeds.
    #[arg(long)]
    seed: Option<u32>,
    /// End at the first fault of an engine.
    #[arg(long)]
    strict: bool,
    /// Rounds between two prints of the standings.
    #[arg(long)]
    ratinginterval: Option<NonZeroU64>,
}

/// A whole tournament on the command line.
#[derive(Args)]
struct Statement {
    #[command(flatten)]
    engines: EngineGroups,
    /// What holds for every engine: tc=1+0.01 | movetime=MS | nodes=N, option.NAME=VALUE …
    #[arg(long, num_args = 1.., value_name = "KEY=VALUE")]
    each: Vec<String>,
    /// random_plies=K, random_start=true, or file=FILE [order=sequential|random].
    #[arg(long, num_args = 1.., value_name = "KEY=VALUE")]
    openings: Vec<String>,
    /// elo0=X elo1=Y [alpha=0.05] [beta=0.05] [model=normalized|logistic].
    #[arg(long, num_args = 1.., value_name = "KEY=VALUE")]
    sprt: Vec<String>,
    /// What to play.
    #[arg(long)]
    variant: Option<String>,
    /// Who meets whom: round-robin or gauntlet.
    #[arg(long, alias = "tournament")]
    format: Option<String>,
    #[command(flatten)]
    place: Place,
    #[command(flatten)]
    overrides: Overrides,
}

/// The words after each `--engine`.
struct EngineGroups(Vec<Vec<String>>);

impl Args for EngineGroups {
    fn augment_args(command: clap::Command) -> clap::Command {
        command.arg(
            Arg::new("engine")
                .long("engine")
                .value_name("KEY=VALUE")
                .num_args(1..)
                .action(ArgAction::Append)
                .required(true)
                .help("An engine: cmd=PROGRAM [name=NAME] [args=ARGS] [option.NAME=VALUE …], once for each"),
        )
    }

    fn augment_args_for_update(command: clap::Command) -> clap::Command {
        Self::augment_args(command)
    }
}

impl FromArgMatches for EngineGroups {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let groups = matches.get_occurrences::<String>("engine");
        Ok(EngineGroups(groups.map(|groups| groups.map(|group| group.cloned().collect()).collect()).unwrap_or_default()))
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

/// Which games are read.
#[derive(Args)]
struct Games {
    /// The folder of a tournament, its games.jsonl, a file of score sheets, or one of moves.
    file: PathBuf,
    /// Only the game with this number.
    #[arg(long)]
    game: Option<u64>,
    /// The form of the file, if it is not to be seen from it.
    #[arg(long, value_parser = TextForm::ALL.map(TextForm::name))]
    from: Option<String>,
    /// What `startpos` is the start of, if not of the tournament's variant.
    #[arg(long)]
    variant: Option<String>,
}

/// How score sheets are written.
#[derive(Args)]
struct Notation {
    /// The language of the words.
    #[arg(long, default_value = Language::default().terms().code, value_parser = Language::ALL.map(|language| language.terms().code))]
    lang: String,
    /// Write `Violet Left 5 Yellow`, as is the default.
    #[arg(long)]
    words: bool,
    /// Write `V↖5Y`.
    #[arg(long, conflicts_with = "words")]
    symbols: bool,
}

#[derive(Args)]
struct Calculation {
    /// Pairs with 0, ½, 1, 1½ and 2 points: LL,LD,M,WD,WW.
    #[arg(long, value_delimiter = ',', required = true)]
    ptnml: Vec<u64>,
    /// The difference under H0.
    #[arg(long, requires = "elo1", allow_negative_numbers = true)]
    elo0: Option<f64>,
    /// The difference under H1.
    #[arg(long, requires = "elo0", allow_negative_numbers = true)]
    elo1: Option<f64>,
    /// The chance to accept H1 where H0 holds.
    #[arg(long, default_value_t = DEFAULT_RATE)]
    alpha: f64,
    /// The chance to accept H0 where H1 holds.
    #[arg(long, default_value_t = DEFAULT_RATE)]
    beta: f64,
    /// The unit of elo0 and elo1.
    #[arg(long, default_value = "normalized", value_parser = ["normalized", "logistic"])]
    model: String,
}

const USAGE: u8 = 64;
const FILES: u8 = 74;

fn main() -> ExitCode {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => {
            let is_answer = matches!(error.kind(), ErrorKind::DisplayHelp | ErrorKind::DisplayVersion);
            // Nobody there to read the help is no error.
            let _ = error.print();
            return ExitCode::from(if is_answer { 0 } else { USAGE });
        }
    };
    if cli.verbose {
        // Nobody there to read the log is no error either.
        let logs = tracing_subscriber::fmt().with_writer(stderr).log_internal_errors(false);
        logs.with_max_level(tracing::Level::TRACE).init();
    }
    match perform(cli.command) {
        Ok(code) => ExitCode::from(code),
        Err(error) => {
            // The message of every error holds those of its causes.
            let _ = writeln!(stderr(), "Error: {error}");
            ExitCode::from(exit_code_of(&error))
        }
    }
}

/// Files that cannot be read or written are the machine's affair; all else is what the user said.
fn exit_code_of(error: &anyhow::Error) -> u8 {
    let record = error.chain().find_map(|cause| match cause.downcast_ref::<TournamentError>() {
        Some(TournamentError::Record(record)) => Some(record),
        _ => cause.downcast_ref::<RecordError>(),
    });
    match record {
        None | Some(RecordError::Exists(_) | RecordError::NoTournament(_)) => USAGE,
        Some(_) => FILES,
    }
}

fn perform(command: Command) -> anyhow::Result<u8> {
    match command {
        Command::Run { file, place, overrides } => {
            let mut tournament = Tournament::read(&file)?;
            overrides.apply(&mut tournament);
            let name = file.file_stem().unwrap_or_default().to_string_lossy().into_owned();
            play(tournament, place, &name)
        }
        Command::Match(statement) => statement.play("match"),
        Command::Sprt(statement) => {
            anyhow::ensure!(!statement.sprt.is_empty(), "sprt: expected --sprt elo0=X elo1=Y");
            statement.play("sprt")
        }
        Command::Resume { dir, concurrency } => {
            let interrupt = interrupt_on_signals()?;
            Ok(exit_code(tournament::resume(&dir, concurrency.map(NonZeroUsize::get), &interrupt)?))
        }
        Command::Report { dir, games } => show(&dir, games),
        Command::Merge { dirs, into } => {
            merge::merge(&dirs, &into)?;
            show(&into, false)
        }
        Command::Sheet { games, notation, parse: false } => games.print(notation.target()),
        Command::Sheet { games, parse: true, .. } => {
            Games { from: Some(TextForm::Sheet.name().to_owned()), ..games }.print(Target::Moves)
        }
        Command::Convert { games, notation, to } => games.print(match to.parse() {
            Ok(TextForm::Jsonl) => Target::Jsonl,
            Ok(TextForm::Moves) => Target::Moves,
            _ => notation.target(),
        }),
        Command::Stats(calculation) => calculation.show(),
        Command::Check { variant, cmd } => check_engine(variant, cmd),
    }
}

/// Prints a text; nobody there to read it is no error.
fn print(text: &str) {
    let _ = writeln!(stdout(), "{}", text.trim_end_matches('\n'));
}

fn exit_code(ending: Ending) -> u8 {
    match ending {
        Ending::Finished | Ending::Tested(Decision::AcceptH1) => 0,
        Ending::Tested(Decision::AcceptH0) => 1,
        Ending::Tested(Decision::Continue) => 2,
        Ending::Fault => 3,
        Ending::Interrupted => 130,
    }
}

fn interrupt_on_signals() -> anyhow::Result<Interrupt> {
    let interrupt = Interrupt::default();
    let raised = interrupt.clone();
    let on_signal = move || {
        raised.raise();
        let what = if raised.must_stop_now() { "Stopping." } else { "Finishing the games in hand; once more stops them." };
        let _ = writeln!(stderr(), "{what}");
    };
    ctrlc::set_handler(on_signal).map_err(|error| anyhow!("cannot listen for Ctrl-C: {error}"))?;
    Ok(interrupt)
}

fn play(mut tournament: Tournament, place: Place, name: &str) -> anyhow::Result<u8> {
    let shard: Shard = place.shard.parse().map_err(|error| anyhow!("--shard: {error}"))?;
    for name in tournament.resolve().map_err(|error| anyhow!("the current directory: {error}"))? {
        let _ = writeln!(stderr(), "Warning: the name `{name}` is used twice; expected one of its own for each engine");
    }
    let dir = place.into.unwrap_or_else(|| free_folder(Path::new("runs"), name));
    let interrupt = interrupt_on_signals()?;
    Ok(exit_code(tournament::run(Manifest { shard, tournament }, &dir, &interrupt)?))
}

/// The first of `NAME`, `NAME-2`, `NAME-3` … that is not there.
fn free_folder(parent: &Path, name: &str) -> PathBuf {
    let mut dir = parent.join(name);
    for number in 2.. {
        if !dir.exists() {
            break;
        }
        dir = parent.join(format!("{name}-{number}"));
    }
    dir
}

fn show(dir: &Path, games: bool) -> anyhow::Result<u8> {
    let (manifest, standings) = tournament::read(dir)?;
    if games {
        let mut lines = std::collections::BTreeMap::new();
        record::read_games(dir, |record, _| {
            lines.insert(record.game, report::finished(&record));
            Ok(())
        })?;
        lines.values().for_each(|line| print(line));
    }
    let engines = manifest.tournament.engines()?;
    print(&report::standings(&standings, &engines, &tournament::openings_name(&manifest.tournament)));
    standings.trial().and_then(report::decision).iter().for_each(|line| print(line));
    if !standings.is_complete() {
        let missing = standings.planned() - standings.played();
        print(&format!("{missing} games are missing; `basho resume {}` plays them", dir.display()));
    }
    Ok(0)
}

fn check_engine(variant: String, cmd: Vec<String>) -> anyhow::Result<u8> {
    let VariantName(variant) = variant.try_into().map_err(anyhow::Error::msg)?;
    let mut cmd = cmd.into_iter();
    let path = PathBuf::from(cmd.next().unwrap_or_default());
    let program = ChildProgram { path, args: cmd.collect(), dir: None, stderr: None };
    let interrupt = interrupt_on_signals()?;
    let has_passed = check::check(&program, variant, &interrupt, &mut |line| print(line));
    Ok(if has_passed { 0 } else { 3 })
}

impl Notation {
    fn target(&self) -> Target {
        Target::Sheet(if self.symbols { Form::Symbols } else { Form::Words }, self.lang.parse().unwrap_or_default())
    }
}

impl Games {
    /// Prints the games, and says of each one that cannot be read what is wrong with it.
    fn print(self, target: Target) -> anyhow::Result<u8> {
        let from = self.from.and_then(|form| form.parse().ok());
        let variant = self.variant.map(VariantName::try_from).transpose().map_err(anyhow::Error::msg)?;
        let archive = Archive::open(&self.file, from, variant.map(|VariantName(variant)| variant))?;
        let (mut printed, mut refused) = (0, 0);
        for (number, game) in (1..).zip(archive.games()) {
            let asked = |sheet: &Sheet| self.game.is_none_or(|asked| sheet.game.unwrap_or(number) == asked);
            let text = match game {
                Ok(sheet) if !asked(&sheet) => continue,
                Ok(sheet) => convert::print(&sheet, number, target).map_err(|fault| format!("game {number}: {fault}")),
                Err(bad) => Err(bad.to_string()),
            };
            match text {
                Ok(text) => {
                    // Sheets are parted by a blank line.
                    let gap = if printed > 0 && matches!(target, Target::Sheet(..)) { "\n" } else { "" };
                    print(&format!("{gap}{text}"));
                    printed += 1;
                }
                Err(message) => {
                    let _ = writeln!(stderr(), "Error: {message}");
                    refused += 1;
                }
            }
        }
        anyhow::ensure!(printed + refused > 0, "{}: no such game there", self.file.display());
        Ok(if refused > 0 { FILES } else { 0 })
    }
}

impl Overrides {
    fn apply(&self, tournament: &mut Tournament) {
        tournament.rounds = self.rounds.unwrap_or(tournament.rounds);
        tournament.concurrency = self.concurrency.unwrap_or(tournament.concurrency);
        tournament.seed = self.seed.unwrap_or(tournament.seed);
        tournament.strict |= self.strict;
        tournament.ratinginterval = self.ratinginterval.unwrap_or(tournament.ratinginterval);
    }
}

impl Statement {
    fn play(self, name: &str) -> anyhow::Result<u8> {
        let mut table = Table::new();
        let engines = self.engines.0.iter().map(|group| Ok(Value::Table(words::table("--engine", group)?)));
        table.insert("engine".to_owned(), Value::Array(engines.collect::<anyhow::Result<_>>()?));
        for (key, flag, group) in
            [("each", "--each", &self.each), ("openings", "--openings", &self.openings), ("sprt", "--sprt", &self.sprt)]
        {
            if !group.is_empty() {
                table.insert(key.to_owned(), Value::Table(words::table(flag, group)?));
            }
        }
        for (key, value) in [("variant", self.variant), ("format", self.format)] {
            if let Some(value) = value {
                table.insert(key.to_owned(), Value::String(value));
            }
        }
        let mut tournament = words::tournament(table)?;
        self.overrides.apply(&mut tournament);
        play(tournament, self.place, name)
    }
}

impl Calculation {
    fn show(&self) -> anyhow::Result<u8> {
        let counts = <[u64; 5]>::try_from(self.ptnml.as_slice()).context("--ptnml: expected five counts LL,LD,M,WD,WW")?;
        let model = if self.model == "logistic" { Model::Logistic } else { Model::Normalized };
        let sprt = self.elo0.zip(self.elo1).map(|(elo0, elo1)| {
            let sprt = Sprt { elo0, elo1, alpha: self.alpha, beta: self.beta, model };
            sprt.validate().map(|()| sprt)
        });
        print(&report::calculation(&Pentanomial(counts), sprt.transpose()?.as_ref()));
        Ok(0)
    }
}

//! `basho run`, `match`, `sprt` and `resume`: commands that play games.

use std::num::{NonZeroU32, NonZeroU64, NonZeroUsize};
use std::path::{Path, PathBuf};

use anyhow::anyhow;
use clap::{Arg, ArgAction, ArgMatches, Args, FromArgMatches};
use toml::{Table, Value};

use basho::config::{ConfigError, Tournament, command_line};
use basho::output::terminal;
use basho::play::descendants::Subreaper;
use basho::play::interrupt::Interrupt;
use basho::play::tournament::{self, Changes, Ending, RunSummary};
use basho::printable::one_line;
use basho::records::manifest::Manifest;
use basho::shard::Shard;
use basho::statistics::sprt::Decision;

use crate::{INTERRUPTED, UNAVAILABLE, code_if_incomplete, decision_code};

/// Command-line arguments of `basho run`.
#[derive(Args)]
pub struct Run {
    /// The tournament file.
    file: PathBuf,
    #[command(flatten)]
    destination: Destination,
    #[command(flatten)]
    overrides: Overrides,
}

impl Run {
    /// Plays the tournament and returns the exit code.
    pub fn execute(self) -> anyhow::Result<u8> {
        let mut tournament = Tournament::read(&self.file)?;
        self.overrides.apply(&mut tournament)?;
        let name = self.file.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        play(tournament, self.destination, &name)
    }
}

/// Command-line arguments of `basho resume`.
#[derive(Args)]
pub struct Resume {
    /// Folder of the tournament.
    dir: PathBuf,
    /// New number of concurrent games.
    #[arg(long)]
    concurrency: Option<NonZeroUsize>,
    /// New number of engine faults that the sequential test tolerates.
    #[arg(long, value_name = "N")]
    tolerate_faults: Option<u32>,
}

impl Resume {
    /// Plays the missing games and returns the exit code.
    pub fn execute(self) -> anyhow::Result<u8> {
        let interrupt = interrupt_on_signals()?;
        let _subreaper = Subreaper::open();
        let changes =
            Changes { concurrency: self.concurrency, tolerate_faults: self.tolerate_faults };
        Ok(exit_code(tournament::resume(&self.dir, &changes, &interrupt)?))
    }
}

/// Options for the folder of the records and the part of the schedule to play.
#[derive(Args)]
struct Destination {
    /// Folder for the records. If it holds the same tournament already, that tournament is
    /// resumed. The default is a new folder: runs/NAME, runs/NAME-2 and so on.
    #[arg(long)]
    into: Option<PathBuf>,
    /// Play only part I of N equal parts of the schedule.
    #[arg(long, value_name = "I/N", default_value_t = String::from(Shard::WHOLE))]
    shard: String,
}

impl Destination {
    fn shard(&self) -> anyhow::Result<Shard> {
        self.shard.parse().map_err(|error| anyhow!("--shard: {error}"))
    }
}

/// Options that override keys of the tournament file.
#[derive(Args)]
struct Overrides {
    /// Pairs of games per pairing. With a sequential test, the maximum.
    #[arg(long)]
    rounds: Option<NonZeroU32>,
    /// Number of concurrent games.
    #[arg(long)]
    concurrency: Option<NonZeroUsize>,
    /// Seed of the openings and of the engines' seeds.
    #[arg(long)]
    seed: Option<u32>,
    /// End the tournament at the first engine fault.
    #[arg(long)]
    strict: bool,
    /// Number of engine faults that the sequential test tolerates. The next one ends it without a
    /// verdict.
    #[arg(long, value_name = "N")]
    tolerate_faults: Option<u32>,
    /// Write games in progress to files for spectators, such as dohyo.
    #[arg(long)]
    live: bool,
    /// Number of rounds between two prints of the standings.
    #[arg(long)]
    ratinginterval: Option<NonZeroU64>,
}

/// Command-line arguments of `basho match` and `basho sprt`: a whole tournament.
#[derive(Args)]
pub struct Match {
    #[command(flatten)]
    engines: EngineGroups,
    /// Defaults for every engine: tc=1+0.01, movetime=MS, nodes=N, depth=N, option.NAME=VALUE …
    #[arg(long, num_args = 1.., value_name = "KEY=VALUE")]
    each: Vec<String>,
    /// Openings: random_plies=K, random_start=true, or file=FILE [order=sequential|random]
    /// [start=N] [plies=N].
    #[arg(long, num_args = 1.., value_name = "KEY=VALUE")]
    openings: Vec<String>,
    /// Sequential test: elo0=X elo1=Y [alpha=0.05] [beta=0.05] [model=normalized|logistic]
    /// [tolerate-faults=0].
    #[arg(long, num_args = 1.., value_name = "KEY=VALUE")]
    sprt: Vec<String>,
    /// Resignation of hopeless games: score=CENTIPAWNS [movecount=1] [twosided=true].
    #[arg(long, num_args = 1.., value_name = "KEY=VALUE")]
    resign: Vec<String>,
    /// Variant to play.
    #[arg(long)]
    variant: Option<String>,
    /// Pairings: round-robin or gauntlet.
    #[arg(long, alias = "tournament")]
    format: Option<String>,
    #[command(flatten)]
    destination: Destination,
    #[command(flatten)]
    overrides: Overrides,
    /// Print the tournament as a file for `basho run` instead of playing it.
    #[arg(long)]
    pub(crate) dry_run: bool,
}

/// The `key=value` arguments of each `--engine`.
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
                .help(
                    "An engine: cmd=PROGRAM [name=NAME] [args=ARGS] [option.NAME=VALUE …]. \
                     One --engine per engine",
                ),
        )
    }

    fn augment_args_for_update(command: clap::Command) -> clap::Command {
        Self::augment_args(command)
    }
}

impl FromArgMatches for EngineGroups {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let groups = matches.get_occurrences::<String>("engine");
        Ok(EngineGroups(
            groups
                .map(|groups| groups.map(|group| group.cloned().collect()).collect())
                .unwrap_or_default(),
        ))
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

/// Maps the end of a tournament to the exit code.
fn exit_code(summary: RunSummary) -> u8 {
    let code = match summary.ending {
        Ending::Finished => 0,
        Ending::Tested(decision) => decision_code(decision),
        Ending::Fault => decision_code(Decision::Void),
        Ending::EnginesUnavailable => UNAVAILABLE,
        Ending::Interrupted => INTERRUPTED,
    };
    if summary.left_out > 0 { code_if_incomplete(code) } else { code }
}

/// Returns an interrupt that SIGINT, SIGTERM and SIGHUP raise: the first signal once, the second
/// twice.
pub fn interrupt_on_signals() -> anyhow::Result<Interrupt> {
    let interrupt = Interrupt::default();
    let raised = interrupt.clone();
    let on_signal = move || {
        raised.raise();
        let message = if raised.must_stop_now() {
            "Stopping."
        } else {
            "Finishing the games in progress; interrupt again to stop now."
        };
        terminal::print_error(message);
    };
    ctrlc::set_handler(on_signal).map_err(|error| anyhow!("cannot listen for Ctrl-C: {error}"))?;
    Ok(interrupt)
}

/// Plays a tournament, by default into a folder called `name`, and returns the exit code.
fn play(mut tournament: Tournament, destination: Destination, name: &str) -> anyhow::Result<u8> {
    let shard = destination.shard()?;
    for name in tournament.resolve().map_err(|error| anyhow!("the current directory: {error}"))? {
        terminal::print_error(&format!(
            "Warning: the name `{}` is used twice; expected a different name for each engine",
            one_line(&name)
        ));
    }
    let interrupt = interrupt_on_signals()?;
    let _subreaper = Subreaper::open();
    let manifest = Manifest::new(shard, tournament);
    Ok(exit_code(match destination.into {
        Some(dir) => tournament::run_into(manifest, &dir, &interrupt)?,
        None => tournament::run(manifest, folder_names(Path::new("runs"), name), &interrupt)?,
    }))
}

/// Candidates for a new folder: `NAME`, `NAME-2`, `NAME-3` and so on.
fn folder_names(parent: &Path, name: &str) -> impl Iterator<Item = PathBuf> {
    let numbered = (2_u64..).map(move |number| parent.join(format!("{name}-{number}")));
    std::iter::once(parent.join(name)).chain(numbered)
}

impl Overrides {
    fn apply(&self, tournament: &mut Tournament) -> Result<(), ConfigError> {
        tournament.rounds = self.rounds.unwrap_or(tournament.rounds);
        tournament.concurrency = self.concurrency.unwrap_or(tournament.concurrency);
        tournament.seed = self.seed.unwrap_or(tournament.seed);
        tournament.strict |= self.strict;
        tournament.live |= self.live;
        tournament.ratinginterval = self.ratinginterval.unwrap_or(tournament.ratinginterval);
        self.tolerate_faults.map_or(Ok(()), |faults| tournament.tolerate_faults(faults))
    }
}

impl Match {
    /// Plays the match with a sequential test and returns the exit code.
    pub fn play_sprt(self) -> anyhow::Result<u8> {
        anyhow::ensure!(!self.sprt.is_empty(), "sprt: expected --sprt elo0=X elo1=Y");
        self.play("sprt")
    }

    /// Plays the match, by default into a folder called `name`, and returns the exit code.
    pub fn play(self, name: &str) -> anyhow::Result<u8> {
        let mut table = Table::new();
        let engines = self
            .engines
            .0
            .iter()
            .map(|group| Ok(Value::Table(command_line::table("--engine", group)?)));
        table.insert("engine".to_owned(), Value::Array(engines.collect::<anyhow::Result<_>>()?));
        for (key, flag, group) in [
            ("each", "--each", &self.each),
            ("openings", "--openings", &self.openings),
            ("resign", "--resign", &self.resign),
            ("sprt", "--sprt", &self.sprt),
        ] {
            if !group.is_empty() {
                table.insert(key.to_owned(), Value::Table(command_line::table(flag, group)?));
            }
        }
        for (key, value) in [("variant", self.variant), ("format", self.format)] {
            if let Some(value) = value {
                table.insert(key.to_owned(), Value::String(value));
            }
        }
        let mut tournament = command_line::tournament(table)?;
        self.overrides.apply(&mut tournament)?;
        if self.dry_run {
            self.destination.shard()?;
            tournament.engines()?;
            terminal::say(&toml::to_string(&tournament)?);
            return Ok(0);
        }
        play(tournament, self.destination, name)
    }
}

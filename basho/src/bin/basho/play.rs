//! `basho run`, `match`, `sprt` and `resume`: playing.

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

use crate::{HINDERED, INTERRUPTED, when_incomplete};

/// The tournament of a file.
#[derive(Args)]
pub struct Run {
    /// The tournament file.
    file: PathBuf,
    #[command(flatten)]
    place: Place,
    #[command(flatten)]
    overrides: Overrides,
}

impl Run {
    /// Plays it; the exit code.
    pub fn perform(self) -> anyhow::Result<u8> {
        let mut tournament = Tournament::read(&self.file)?;
        self.overrides.apply(&mut tournament)?;
        let name = self.file.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        play(tournament, self.place, &name)
    }
}

/// An interrupted tournament.
#[derive(Args)]
pub struct Resume {
    /// Its folder.
    dir: PathBuf,
    /// Games played at once, if other than before.
    #[arg(long)]
    concurrency: Option<NonZeroUsize>,
    /// Faults that the sequential test tolerates, if other than before.
    #[arg(long, value_name = "N")]
    tolerate_faults: Option<u32>,
}

impl Resume {
    /// Plays what is missing; the exit code.
    pub fn perform(self) -> anyhow::Result<u8> {
        let interrupt = interrupt_on_signals()?;
        let _subreaper = Subreaper::open();
        let changes =
            Changes { concurrency: self.concurrency, tolerate_faults: self.tolerate_faults };
        Ok(exit_code(tournament::resume(&self.dir, &changes, &interrupt)?))
    }
}

/// Where a tournament is played.
#[derive(Args)]
struct Place {
    /// The folder for the records; if the same tournament is there already, it goes on. By default a new one, runs/NAME, runs/NAME-2 and so on.
    #[arg(long)]
    into: Option<PathBuf>,
    /// Play only the i-th of n equal parts of the schedule.
    #[arg(long, value_name = "I/N", default_value_t = String::from(Shard::WHOLE))]
    shard: String,
}

impl Place {
    fn shard(&self) -> anyhow::Result<Shard> {
        self.shard.parse().map_err(|error| anyhow!("--shard: {error}"))
    }
}

/// Options that override the file.
#[derive(Args)]
struct Overrides {
    /// Pairs of games for each pairing; with a sequential test, at most this many.
    #[arg(long)]
    rounds: Option<NonZeroU32>,
    /// Games played at once.
    #[arg(long)]
    concurrency: Option<NonZeroUsize>,
    /// The seed of the openings and of the engines' seeds.
    #[arg(long)]
    seed: Option<u32>,
    /// End at the first fault of an engine.
    #[arg(long)]
    strict: bool,
    /// Faults that the sequential test tolerates before it ends without a verdict.
    #[arg(long, value_name = "N")]
    tolerate_faults: Option<u32>,
    /// Write the games in play for spectators, such as dohyo.
    #[arg(long)]
    live: bool,
    /// Rounds between two prints of the standings.
    #[arg(long)]
    ratinginterval: Option<NonZeroU64>,
}

/// A whole tournament on the command line.
#[derive(Args)]
pub struct Statement {
    #[command(flatten)]
    engines: EngineGroups,
    /// Defaults for every engine: tc=1+0.01 or movetime=MS, nodes=N, depth=N, option.NAME=VALUE …
    #[arg(long, num_args = 1.., value_name = "KEY=VALUE")]
    each: Vec<String>,
    /// random_plies=K, random_start=true, or file=FILE [order=sequential|random] [start=N] [plies=N].
    #[arg(long, num_args = 1.., value_name = "KEY=VALUE")]
    openings: Vec<String>,
    /// elo0=X elo1=Y [alpha=0.05] [beta=0.05] [model=normalized|logistic] [tolerate-faults=0].
    #[arg(long, num_args = 1.., value_name = "KEY=VALUE")]
    sprt: Vec<String>,
    /// When a player loses without playing on: score=CENTIPAWNS [movecount=1] [twosided=true].
    #[arg(long, num_args = 1.., value_name = "KEY=VALUE")]
    resign: Vec<String>,
    /// What to play.
    #[arg(long)]
    variant: Option<String>,
    /// The pairings: round-robin or gauntlet.
    #[arg(long, alias = "tournament")]
    format: Option<String>,
    #[command(flatten)]
    place: Place,
    #[command(flatten)]
    overrides: Overrides,
    /// Print the tournament as a file for `basho run`, and play nothing.
    #[arg(long)]
    pub(crate) dry_run: bool,
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

fn exit_code(played: RunSummary) -> u8 {
    let code = match played.ending {
        Ending::Finished | Ending::Tested(Decision::AcceptH1) => 0,
        Ending::Tested(Decision::AcceptH0) => 1,
        Ending::Tested(Decision::Continue) => 2,
        Ending::Fault | Ending::Tested(Decision::Void) => 3,
        Ending::EnginesUnavailable => HINDERED,
        Ending::Interrupted => INTERRUPTED,
    };
    if played.left_out > 0 { when_incomplete(code) } else { code }
}

/// Raised once by the first signal to end, twice by the second.
pub fn interrupt_on_signals() -> anyhow::Result<Interrupt> {
    let interrupt = Interrupt::default();
    let raised = interrupt.clone();
    let on_signal = move || {
        raised.raise();
        let what = if raised.must_stop_now() {
            "Stopping."
        } else {
            "Finishing what is in hand; once more stops it."
        };
        terminal::print_error(what);
    };
    ctrlc::set_handler(on_signal).map_err(|error| anyhow!("cannot listen for Ctrl-C: {error}"))?;
    Ok(interrupt)
}

fn play(mut tournament: Tournament, place: Place, name: &str) -> anyhow::Result<u8> {
    let shard = place.shard()?;
    for name in tournament.resolve().map_err(|error| anyhow!("the current directory: {error}"))? {
        terminal::print_error(&format!(
            "Warning: the name `{}` is used twice; expected a different one for each engine",
            one_line(&name)
        ));
    }
    let interrupt = interrupt_on_signals()?;
    let _subreaper = Subreaper::open();
    let manifest = Manifest::new(shard, tournament);
    Ok(exit_code(match place.into {
        Some(dir) => tournament::run_into(manifest, &dir, &interrupt)?,
        None => tournament::run(manifest, folders(Path::new("runs"), name), &interrupt)?,
    }))
}

/// `NAME`, `NAME-2`, `NAME-3` and so on.
fn folders(parent: &Path, name: &str) -> impl Iterator<Item = PathBuf> {
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

impl Statement {
    /// Plays it with a sequential test; the exit code.
    pub fn test(self) -> anyhow::Result<u8> {
        anyhow::ensure!(!self.sprt.is_empty(), "sprt: expected --sprt elo0=X elo1=Y");
        self.play("sprt")
    }

    /// Plays it, by default into a folder of this name; the exit code.
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
            self.place.shard()?;
            tournament.engines()?;
            terminal::say(&toml::to_string(&tournament)?);
            return Ok(0);
        }
        play(tournament, self.place, name)
    }
}

//! The settings of a tournament, read from a file or the command line, checked and completed.

pub mod command_line;
mod error;
pub mod limit;
mod openings;
pub mod quoting;
pub mod resign;
pub mod schedule;

use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io::{self, Read};
use std::num::{NonZeroU32, NonZeroU64, NonZeroUsize};
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::{Deserialize, Serialize};

use self::limit::{Limit, TimeControl, TimeLimit};
use self::quoting::UnmatchedQuote;
use self::resign::Resign;
use self::schedule::{Format, Schedule};
use crate::statistics::sprt::Sprt;
pub use error::ConfigError;
pub use openings::{Openings, Order};
use oshi::games::{Variant, variant_names};
use oshi::text;

/// The content of a tournament file.
///
/// [`resolve`](Tournament::resolve) makes its paths absolute, so that it means the same in any
/// folder.
///
/// ```
/// use basho::config::Tournament;
///
/// let tournament: Tournament = toml::from_str(
///     r#"
///     rounds = 50
///     openings = { random_plies = 4 }
///     [each]
///     tc = "10+0.1"
///     [[engine]]
///     cmd = "oshi"
///     [[engine]]
///     cmd = "builtin:greedy"
///     "#,
/// )?;
/// assert_eq!(tournament.engines()?.len(), 2);
/// assert_eq!(tournament.schedule().games(), 100);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Tournament {
    /// The variant to play.
    #[serde(default)]
    pub variant: VariantName,
    /// Which engines meet: round-robin or gauntlet.
    #[serde(default)]
    pub format: Format,
    /// Pairs of games per pairing; an upper limit if there is a sequential test.
    #[serde(default = "default_rounds")]
    pub rounds: NonZeroU32,
    /// Number of games played at the same time.
    #[serde(default = "default_concurrency")]
    pub concurrency: NonZeroUsize,
    /// Seed of the openings and of the engines' own seeds.
    #[serde(default)]
    pub seed: u32,
    /// Whether the first fault of an engine ends the tournament.
    #[serde(default)]
    pub strict: bool,
    /// Whether games in progress are written to files for spectators.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub live: bool,
    /// Number of rounds between two prints of the standings.
    #[serde(default = "default_rating_interval")]
    pub ratinginterval: NonZeroU64,
    /// Start positions of the games.
    #[serde(default)]
    pub openings: Openings,
    /// Sequential test that ends the tournament. It needs exactly two engines.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sprt: Option<SprtTable>,
    /// When an engine resigns; never by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resign: Option<Resign>,
    /// Defaults for every engine.
    #[serde(default)]
    pub each: EngineTable,
    /// The engines, at least two.
    #[serde(rename = "engine", default)]
    pub engines: Vec<EngineTable>,
}

const fn default_rounds() -> NonZeroU32 {
    NonZeroU32::MIN.saturating_add(1)
}

const fn default_concurrency() -> NonZeroUsize {
    NonZeroUsize::MIN
}

const fn default_rating_interval() -> NonZeroU64 {
    NonZeroU64::MIN.saturating_add(9)
}

/// A [`Variant`], serialized as its name.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct VariantName(pub Variant);

impl TryFrom<String> for VariantName {
    type Error = String;

    fn try_from(name: String) -> Result<VariantName, String> {
        name.parse()
            .map(VariantName)
            .map_err(|_| format!("unknown variant `{name}`, expected one of {}", variant_names()))
    }
}

impl From<VariantName> for String {
    fn from(variant: VariantName) -> String {
        variant.0.name().to_owned()
    }
}

/// A [`Sprt`] whose parameters were validated on deserialization.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
#[serde(try_from = "Sprt", into = "Sprt")]
pub struct SprtTable(pub Sprt);

impl TryFrom<Sprt> for SprtTable {
    type Error = crate::statistics::sprt::SprtError;

    fn try_from(sprt: Sprt) -> Result<SprtTable, Self::Error> {
        sprt.validate().map(|()| SprtTable(sprt))
    }
}

impl From<SprtTable> for Sprt {
    fn from(table: SprtTable) -> Sprt {
        table.0
    }
}

/// Settings of one engine, or the defaults for all: the keys of fastchess's `-engine` and `-each`.
#[derive(Clone, PartialEq, Default, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EngineTable {
    /// The program, `builtin:random` or `builtin:greedy`. With a slash it is a path relative to the
    /// current directory; without, it is looked up in the search path.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cmd: Option<String>,
    /// Name in tables and records; by default that of the program.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Arguments of the program: a list, or one string that is [split](quoting::split) into words.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub args: Option<Arguments>,
    /// Working directory of the program.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dir: Option<PathBuf>,
    /// File to which the program's stderr is appended; its last lines are kept in any case.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stderr: Option<PathBuf>,
    /// Clock for the whole game.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tc: Option<TimeControl>,
    /// Time per move, in milliseconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub movetime: Option<NonZeroU32>,
    /// Nodes per move.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub nodes: Option<NonZeroU64>,
    /// Depth per move, in plies.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub depth: Option<NonZeroU32>,
    /// Whether the program is restarted for every game.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub restart: Option<bool>,
    /// Tolerated excess of a move over its time, in milliseconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub timemargin: Option<u32>,
    /// How long to wait for an answer beyond its allotted time, in milliseconds.
    #[serde(rename = "patience", skip_serializing_if = "Option::is_none")]
    pub timeout: Option<NonZeroU32>,
    /// Values of the engine's options, by name.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub option: BTreeMap<String, OptionText>,
}

/// Value of an engine option. A file may state it as a string, a number or a boolean.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(from = "Scalar", into = "String")]
pub struct OptionText(pub String);

#[derive(Deserialize)]
#[serde(untagged, expecting = "expected a text, a number, true or false")]
enum Scalar {
    Text(String),
    Integer(i64),
    Number(f64),
    Truth(bool),
}

impl From<Scalar> for OptionText {
    fn from(value: Scalar) -> OptionText {
        OptionText(match value {
            Scalar::Text(text) => text,
            Scalar::Integer(number) => number.to_string(),
            Scalar::Number(number) => number.to_string(),
            Scalar::Truth(truth) => truth.to_string(),
        })
    }
}

impl From<OptionText> for String {
    fn from(text: OptionText) -> String {
        text.0
    }
}

/// Arguments of a program.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(try_from = "ArgumentsForm")]
pub struct Arguments(pub Vec<String>);

#[derive(Deserialize)]
#[serde(untagged, expecting = "expected a text or a list of texts")]
enum ArgumentsForm {
    Line(String),
    List(Vec<String>),
}

impl TryFrom<ArgumentsForm> for Arguments {
    type Error = UnmatchedQuote;

    fn try_from(form: ArgumentsForm) -> Result<Arguments, UnmatchedQuote> {
        Ok(Arguments(match form {
            ArgumentsForm::Line(line) => quoting::split(&line)?,
            ArgumentsForm::List(list) => list,
        }))
    }
}

/// An engine with all its settings.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Engine {
    /// Unique name in tables and records.
    pub name: String,
    /// What runs.
    pub program: Program,
    /// Search limit; built-in players need none.
    pub limit: Option<Limit>,
    /// Whether the process is restarted for every game.
    pub is_restarted: bool,
    /// Tolerated excess of a move over its time.
    pub margin: Duration,
    /// How long to wait for an answer beyond its allotted time.
    pub timeout: Duration,
    /// Values of the options to set, by name.
    pub options: BTreeMap<String, String>,
}

/// What runs as an engine.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Program {
    /// The built-in player of random moves.
    Random,
    /// The built-in player that wins a round when it can and avoids giving one.
    Greedy,
    /// A child process.
    Child(ChildProgram),
}

/// A program to run as a child process.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ChildProgram {
    /// File of the program, or a name to look up in the search path.
    pub path: PathBuf,
    /// Command-line arguments.
    pub args: Vec<String>,
    /// Working directory; by default that of the runner.
    pub dir: Option<PathBuf>,
    /// File to which stderr is appended.
    pub stderr: Option<PathBuf>,
}

const DEFAULT_MARGIN: Duration = Duration::from_millis(100);
const DEFAULT_TIMEOUT: Duration = Duration::from_secs(60);

/// Maximum length of a tournament file, in bytes.
const MAX_FILE_LENGTH: u64 = 1 << 20;

impl Tournament {
    /// Reads a tournament file of at most 1 MiB.
    ///
    /// # Errors
    /// [`ConfigError`] names the file, the line, the key and what was expected.
    pub fn read(path: &Path) -> Result<Tournament, ConfigError> {
        let text = read_text(path)
            .map_err(|source| ConfigError::File { path: path.to_owned(), source })?;
        toml::from_str(&text).map_err(|error| ConfigError::text(path.display().to_string(), &error))
    }

    /// Makes all paths absolute and gives every engine a unique name, as fastchess does.
    ///
    /// Returns the names that were used twice.
    ///
    /// # Errors
    /// The current directory cannot be determined.
    pub fn resolve(&mut self) -> io::Result<Vec<String>> {
        if let Some(file) = &mut self.openings.file {
            *file = std::path::absolute(&*file)?;
        }
        let mut seen = BTreeSet::new();
        let mut repeated = Vec::new();
        for engine in std::iter::once(&mut self.each).chain(&mut self.engines) {
            if let Some(cmd) = engine.cmd.as_mut().filter(|cmd| cmd.contains('/')) {
                *cmd = std::path::absolute(&*cmd)?.to_string_lossy().into_owned();
            }
            for path in engine.dir.iter_mut().chain(&mut engine.stderr) {
                *path = std::path::absolute(&*path)?;
            }
        }
        for engine in &mut self.engines {
            let cmd = engine.cmd.as_deref().or(self.each.cmd.as_deref()).unwrap_or_default();
            let base = engine.name.take().unwrap_or_else(|| default_name(cmd));
            let mut name = base.clone();
            for copy in 2.. {
                if seen.insert(name.clone()) {
                    break;
                }
                name = format!("{base}_{copy}");
            }
            if name != base {
                repeated.push(base);
            }
            engine.name = Some(name);
        }
        Ok(repeated)
    }

    /// The engines, each completed by the defaults.
    ///
    /// # Errors
    /// [`ConfigError`] names the engine and what is missing or wrong.
    pub fn engines(&self) -> Result<Vec<Engine>, ConfigError> {
        if let Some(name) = &self.each.name {
            return Err(ConfigError::CommonName(name.clone()));
        }
        if self.engines.len() < 2 {
            return Err(ConfigError::TooFewEngines(self.engines.len()));
        }
        if self.sprt.is_some() && self.engines.len() != 2 {
            return Err(ConfigError::SprtEngines(self.engines.len()));
        }
        let complete = |(index, engine): (usize, &EngineTable)| {
            let engine = engine.complete(&self.each, index + 1)?;
            self.check_variant(&engine, index + 1)?;
            Ok(engine)
        };
        self.engines.iter().enumerate().map(complete).collect()
    }

    /// Rejects an engine set to another variant: it would lose every game.
    fn check_variant(&self, engine: &Engine, number: usize) -> Result<(), ConfigError> {
        let variant = self.variant.0.name();
        match engine.options.iter().find(|(name, _)| name.eq_ignore_ascii_case("UCI_Variant")) {
            Some((_, value)) if value != variant => {
                Err(ConfigError::OtherVariant { number, variant, value: value.clone() })
            }
            _ => Ok(()),
        }
    }

    /// Sets the number of faults that the sequential test tolerates.
    ///
    /// # Errors
    /// [`ConfigError::NoTest`] if there is no sequential test.
    pub fn tolerate_faults(&mut self, faults: u32) -> Result<(), ConfigError> {
        self.sprt.as_mut().ok_or(ConfigError::NoTest)?.0.tolerate_faults = faults;
        Ok(())
    }

    /// The schedule of all games.
    pub fn schedule(&self) -> Schedule {
        Schedule::new(
            self.format,
            self.engines.len(),
            u64::from(self.rounds.get()),
            u64::from(self.seed),
        )
    }
}

impl EngineTable {
    fn complete(&self, each: &EngineTable, number: usize) -> Result<Engine, ConfigError> {
        let cmd =
            self.cmd.as_deref().or(each.cmd.as_deref()).ok_or(ConfigError::NoProgram(number))?;
        let program = match cmd.strip_prefix("builtin:") {
            Some("random") => Program::Random,
            Some("greedy") => Program::Greedy,
            Some(name) => {
                return Err(ConfigError::UnknownBuiltin { number, name: name.to_owned() });
            }
            None => Program::Child(ChildProgram {
                path: PathBuf::from(cmd),
                args: self
                    .args
                    .as_ref()
                    .or(each.args.as_ref())
                    .map(|args| args.0.clone())
                    .unwrap_or_default(),
                dir: self.dir.clone().or_else(|| each.dir.clone()),
                stderr: self.stderr.clone().or_else(|| each.stderr.clone()),
            }),
        };
        // An engine's own limit replaces the common one, even one of another kind.
        let own = self.limit(number)?;
        let limit = if own.is_some() { own } else { each.limit(number)? };
        if limit.is_none() && matches!(program, Program::Child(_)) {
            return Err(ConfigError::NoLimit(number));
        }
        let mut options: BTreeMap<String, String> = BTreeMap::new();
        for (name, value) in each.option.iter().chain(&self.option) {
            options.retain(|known, _| !known.eq_ignore_ascii_case(name));
            options.insert(name.clone(), value.0.clone());
        }
        let milliseconds = |value: u32| Duration::from_millis(u64::from(value));
        Ok(Engine {
            name: self.name.clone().unwrap_or_else(|| default_name(cmd)),
            program,
            limit,
            is_restarted: self.restart.or(each.restart).unwrap_or_default(),
            margin: self.timemargin.or(each.timemargin).map_or(DEFAULT_MARGIN, milliseconds),
            timeout: self
                .timeout
                .or(each.timeout)
                .map_or(DEFAULT_TIMEOUT, |value| milliseconds(value.get())),
            options,
        })
    }

    /// The limit in this table, if any. `number` names the engine in errors.
    fn limit(&self, number: usize) -> Result<Option<Limit>, ConfigError> {
        let time = match (self.tc, self.movetime) {
            (Some(_), Some(_)) => return Err(ConfigError::TwoTimes(number)),
            (Some(control), None) => Some(TimeLimit::Clock(control)),
            (None, ms) => {
                ms.map(|ms| TimeLimit::PerMove(Duration::from_millis(u64::from(ms.get()))))
            }
        };
        let limit = Limit {
            time,
            nodes: self.nodes.map(NonZeroU64::get),
            depth: self.depth.map(NonZeroU32::get),
        };
        Ok((limit != Limit::default()).then_some(limit))
    }
}

/// Reads a file or pipe, but no more than [`MAX_FILE_LENGTH`]: a device may never end.
fn read_text(path: &Path) -> io::Result<String> {
    let mut bytes = Vec::new();
    let length = File::open(path)?.take(MAX_FILE_LENGTH + 1).read_to_end(&mut bytes)? as u64;
    if length > MAX_FILE_LENGTH {
        return Err(io::Error::new(
            io::ErrorKind::InvalidInput,
            format!("expected at most {MAX_FILE_LENGTH} bytes"),
        ));
    }
    text::read_all(&*bytes)
}

/// Default name of an engine: the file name of its program without extension.
fn default_name(cmd: &str) -> String {
    let name = cmd.strip_prefix("builtin:").unwrap_or(cmd);
    Path::new(name)
        .file_stem()
        .map_or_else(|| name.to_owned(), |stem| stem.to_string_lossy().into_owned())
}

//! The engine's options. One declaration per option drives its listing, default, value check and help text.

use std::time::Duration;

use strum::{IntoStaticStr, VariantArray};

use super::memory;
use super::strength::{self, Strength};
use crate::games::{Layout, StartPosition, Variant};
use crate::protocol::{OptionError, OptionKind, OptionLine, OptionValue};
use crate::search::Settings;

/// What is played for.
#[derive(Clone, Copy, PartialEq, Eq, Debug, IntoStaticStr, VariantArray)]
#[strum(serialize_all = "lowercase")]
pub enum Horizon {
    /// The match.
    Match,
    /// The round in play: only winning it counts.
    Round,
}

/// The values of all options.
#[derive(Clone, Debug)]
pub struct Values {
    /// What `position startpos` sets up.
    pub start: StartPosition,
    /// The settings of the searcher.
    pub settings: Settings,
    /// How many lines a search reports.
    pub lines: usize,
    /// Time lost between the engine and the clock, per move.
    pub move_overhead: Duration,
    /// What is played for.
    pub horizon: Horizon,
    /// Whether to play no stronger than `elo`.
    pub limit_strength: bool,
    /// The rating to play at.
    pub elo: u32,
}

impl Values {
    /// How strongly to play; `None` for full strength.
    pub fn strength(&self) -> Option<Strength> {
        self.limit_strength.then(|| Strength::of(self.elo))
    }

    /// The settings of the next search.
    pub fn search_settings(&self) -> Settings {
        if self.limit_strength { Strength::settings(self.settings.seed) } else { self.settings }
    }
}

/// What the engine does when an option is set, besides storing the value.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Effect {
    /// Nothing.
    None,
    /// Sets up the start position.
    SetUpStart,
    /// Forgets all positions seen.
    ClearHash,
    /// Appends the log to this file; an empty path switches back to stderr.
    OpenLog(String),
}

/// Stores a value, and says what else is to be done.
type Setter = Box<dyn Fn(&mut Values, OptionValue) -> Effect>;

struct Declaration {
    line: OptionLine,
    help: &'static str,
    set: Setter,
}

fn declare(name: &str, kind: OptionKind, help: &'static str, set: Setter) -> Declaration {
    Declaration { line: OptionLine { name: name.to_owned(), kind }, help, set }
}

fn spin(
    name: &str,
    default: i64,
    (min, max): (i64, i64),
    help: &'static str,
    set: impl Fn(&mut Values, u32) + 'static,
) -> Declaration {
    let set: Setter = Box::new(move |values, value| {
        if let OptionValue::Spin(number) = value
            && let Ok(number) = number.try_into()
        {
            set(values, number);
        }
        Effect::None
    });
    declare(name, OptionKind::Spin { default, min, max }, help, set)
}

fn combo<T: Copy + Into<&'static str> + VariantArray>(
    name: &str,
    default: T,
    help: &'static str,
    set: impl Fn(&mut Values, T) -> Effect + 'static,
) -> Declaration {
    let word = |choice: T| -> String { Into::<&str>::into(choice).to_owned() };
    let kind = OptionKind::Combo { default: word(default), choices: T::VARIANTS.iter().copied().map(word).collect() };
    let set: Setter = Box::new(move |values, value| match value {
        OptionValue::Choice(index) => T::VARIANTS.get(index).map_or(Effect::None, |&choice| set(values, choice)),
        _ => Effect::None,
    });
    declare(name, kind, help, set)
}

fn declarations() -> Vec<Declaration> {
    let log_file: Setter = Box::new(|_, value| match value {
        OptionValue::Text(path) => Effect::OpenLog(path),
        _ => Effect::None,
    });
    let (lowest, highest) = strength::RANGE;
    let (hash, most_hash) = memory::default_and_most();
    vec![
        combo(
            "UCI_Variant",
            Variant::default(),
            "the game of `position startpos`; setting it sets up its start",
            |values, variant| {
                values.start.variant = variant;
                Effect::SetUpStart
            },
        ),
        spin("Hash", hash, (1, most_hash), "memory for the search, in MiB", |values, mib| {
            values.settings.hash_mib = mib as usize
        }),
        spin("Threads", 1, (1, 256), "threads that search", |values, threads| values.settings.threads = threads as usize),
        spin("MultiPV", 1, (1, 128), "how many of the best lines are reported", |values, lines| values.lines = lines as usize),
        // GUIs look for this option before they ponder; the engine does not need it.
        declare(
            "Ponder",
            OptionKind::Check { default: false },
            "whether `go ponder` will be sent",
            Box::new(|_, _| Effect::None),
        ),
        spin("MoveOverhead", 10, (0, 5000), "time lost between the engine and the clock, per move, in ms", |values, time| {
            values.move_overhead = Duration::from_millis(time.into());
        }),
        spin("Seed", 0, (0, i32::MAX.into()), "varies the play; the same seed plays the same", |values, seed| {
            values.settings.seed = seed.into();
        }),
        combo(
            "Layout",
            Layout::default(),
            "the Kamisado board of `position startpos` and `position random`; setting it sets up the start",
            |values, layout| {
                values.start.layout = layout;
                Effect::SetUpStart
            },
        ),
        combo("Horizon", Horizon::Match, "what is played for", |values, horizon| {
            values.horizon = horizon;
            Effect::None
        }),
        declare(
            "UCI_LimitStrength",
            OptionKind::Check { default: false },
            "whether to play no stronger than UCI_Elo",
            Box::new(|values, value| {
                values.limit_strength = value == OptionValue::Check(true);
                Effect::None
            }),
        ),
        spin("UCI_Elo", strength::DEFAULT.into(), (lowest.into(), highest.into()), "the rating to play at", |values, elo| {
            values.elo = elo;
        }),
        declare("LogFile", OptionKind::Text { default: String::new() }, "the file that the dialogue is appended to", log_file),
        declare("Clear Hash", OptionKind::Button, "forgets all positions seen", Box::new(|_, _| Effect::ClearHash)),
    ]
}

/// All options with their values.
pub struct Options {
    declarations: Vec<Declaration>,
    values: Values,
}

impl Options {
    /// Every option at its default.
    pub fn new() -> Options {
        let mut values = Values {
            start: StartPosition::default(),
            settings: Settings::default(),
            lines: 1,
            move_overhead: Duration::ZERO,
            horizon: Horizon::Match,
            limit_strength: false,
            elo: strength::DEFAULT,
        };
        let declarations = declarations();
        for declaration in &declarations {
            if let Some(default) = declaration.line.kind.default_value() {
                (declaration.set)(&mut values, default);
            }
        }
        Options { declarations, values }
    }

    /// The values.
    pub const fn values(&self) -> &Values {
        &self.values
    }

    /// The lines that list the options, each with a sentence on what it does.
    pub fn listing(&self) -> impl Iterator<Item = (&OptionLine, &'static str)> {
        self.declarations.iter().map(|declaration| (&declaration.line, declaration.help))
    }

    /// Sets an option, and says what else is to be done.
    ///
    /// # Errors
    /// [`OptionError`] if there is no such option, or the value is not valid for it; then nothing changes.
    pub fn set(&mut self, name: &str, value: Option<&str>) -> Result<Effect, OptionError> {
        let declaration = self
            .declarations
            .iter()
            .find(|declaration| declaration.line.is_called(name))
            .ok_or_else(|| OptionError::unknown(name))?;
        let value = declaration.line.read(value)?;
        Ok((declaration.set)(&mut self.values, value))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn defaults_come_from_the_declarations() {
        let options = Options::new();
        let values = options.values();
        assert_eq!(values.settings, Settings { hash_mib: 64, threads: 1, seed: 0 });
        assert_eq!((values.start.variant, values.lines), (Variant::KamisadoStandard, 1));
        assert_eq!(values.move_overhead, Duration::from_millis(10));
    }

    #[test]
    fn every_option_accepts_its_own_default() {
        let mut options = Options::new();
        let lines: Vec<_> = options.listing().map(|(line, _)| line.clone()).collect();
        for line in lines {
            let default = match &line.kind {
                OptionKind::Check { default } => Some(default.to_string()),
                OptionKind::Spin { default, .. } => Some(default.to_string()),
                OptionKind::Combo { default, .. } | OptionKind::Text { default } => Some(default.clone()),
                OptionKind::Button => None,
            };
            assert!(options.set(&line.name, default.as_deref()).is_ok(), "{line}");
        }
    }

    #[test]
    fn names_and_words_are_read_in_any_case() {
        let mut options = Options::new();
        assert_eq!(options.set("uci_variant", Some("KAMISADO-LONG")), Ok(Effect::SetUpStart));
        assert_eq!(options.set("HORIZON", Some("Round")), Ok(Effect::None));
        assert_eq!(options.values().start.variant, Variant::KamisadoLong);
        assert_eq!(options.values().horizon, Horizon::Round);
    }

    #[test]
    fn a_refused_value_changes_nothing() {
        let mut options = Options::new();
        for (name, value) in [("Hash", "0"), ("Hash", "65537"), ("Layout", "upside-down"), ("Ponder", "1"), ("Depth", "1")] {
            assert!(options.set(name, Some(value)).is_err(), "{name} {value}");
        }
        assert_eq!(options.values().settings.hash_mib, 64);
    }
}

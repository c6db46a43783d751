//! The engine's options. One declaration per option drives listing, default, check and help text.

use std::time::Duration;

use strum::VariantArray;

use super::resources::Resources;
use super::strength::{self, Strength};
use super::suggest;
use crate::games::{Layout, StartPosition, Variant};
use crate::protocol::{OptionError, OptionKind, OptionLine, OptionValue};
use crate::search::Settings;
#[cfg(feature = "tune")]
use crate::search::params::{self, Parameter};

/// Values of all options.
#[derive(Clone, Debug)]
pub struct Values {
    /// Position of `position startpos`.
    pub start: StartPosition,
    /// Settings of the searcher.
    pub settings: Settings,
    /// Number of lines that a search reports.
    pub lines: usize,
    /// Time lost per move between the engine and the clock.
    pub move_overhead: Duration,
    /// Whether to play at the rating `elo`.
    pub limit_strength: bool,
    /// Rating to play at.
    pub elo: u32,
}

impl Values {
    /// Returns the limits of the rating, or `None` for full strength.
    pub fn strength(&self) -> Option<Strength> {
        self.limit_strength.then(|| Strength::of(self.elo))
    }

    /// Returns the settings of the next search.
    pub fn search_settings(&self) -> Settings {
        if self.limit_strength { Strength::settings(self.settings.seed) } else { self.settings }
    }
}

/// Action of the engine after the value of an option is stored.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Effect {
    /// No action.
    None,
    /// Set up the start position.
    SetUpStart,
    /// Clear the memory of earlier searches.
    ClearHash,
    /// Append the log to this file; an empty path means stderr.
    OpenLog(String),
}

/// Stores a value and returns the action that follows.
type Setter = Box<dyn Fn(&mut Values, OptionValue) -> Effect>;

struct Declaration {
    line: OptionLine,
    help: &'static str,
    set: Setter,
    /// Another name of the option, not listed by `uci`.
    alias: Option<&'static str>,
    /// Names of similar options in other engines, for suggestions.
    foreign_names: &'static [&'static str],
}

/// Options of UCI without effect: any value is accepted. They are not listed.
const IGNORED: [&str; 4] = ["UCI_AnalyseMode", "UCI_EngineAbout", "UCI_Opponent", "UCI_ShowWDL"];

/// Options of other engines with the commands that have the same effect here.
const COMMANDS: [(&str, &str); 1] = [("nodestime", "go nodes N")];

fn declare(name: &str, kind: OptionKind, help: &'static str, set: Setter) -> Declaration {
    Declaration {
        line: OptionLine { name: name.to_owned(), kind },
        help,
        set,
        alias: None,
        foreign_names: &[],
    }
}

impl Declaration {
    fn with_alias(self, name: &'static str) -> Declaration {
        Declaration { alias: Some(name), ..self }
    }

    fn suggested_for(self, names: &'static [&'static str]) -> Declaration {
        Declaration { foreign_names: names, ..self }
    }

    fn is_called(&self, name: &str) -> bool {
        self.line.is_called(name)
            || self.alias.is_some_and(|other| other.eq_ignore_ascii_case(name))
    }

    fn is_suggested_for(&self, name: &str) -> bool {
        self.foreign_names.iter().any(|other| suggest::distance(other, name) == Some(0))
    }
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
    let kind = OptionKind::Combo {
        default: word(default),
        choices: T::VARIANTS.iter().copied().map(word).collect(),
    };
    let set: Setter = Box::new(move |values, value| match value {
        OptionValue::Choice(index) => {
            T::VARIANTS.get(index).map_or(Effect::None, |&choice| set(values, choice))
        }
        _ => Effect::None,
    });
    declare(name, kind, help, set)
}

/// Names of strength limits in other engines.
const STRENGTH_NAMES: &[&str] = &["Skill Level", "Skill", "Level", "Strength", "Playing Strength"];

fn declarations(resources: Resources) -> Vec<Declaration> {
    let log_file: Setter = Box::new(|_, value| match value {
        OptionValue::Text(path) => Effect::OpenLog(path),
        _ => Effect::None,
    });
    let (lowest, highest) = strength::RANGE;
    let Resources { default_hash, max_hash, max_threads } = resources;
    vec![
        combo(
            "UCI_Variant",
            Variant::default(),
            "game of `position startpos`; setting it sets up the start",
            |values, variant| {
                values.start.variant = variant;
                Effect::SetUpStart
            },
        )
        .suggested_for(&["Game", "Protocol", "Ruleset"]),
        spin(
            "Hash",
            default_hash,
            (1, max_hash),
            "memory for the search, in MiB",
            |values, mib| values.settings.hash_mib = mib as usize,
        ),
        spin("Threads", 1, (1, max_threads), "number of search threads", |values, threads| {
            values.settings.threads = threads as usize
        })
        .suggested_for(&["Cores", "CPUs", "NumaPolicy"]),
        spin("MultiPV", 1, (1, 128), "number of best lines to report", |values, lines| {
            values.lines = lines as usize
        }),
        // GUIs require this option before they ponder. It has no effect.
        declare(
            "Ponder",
            OptionKind::Check { default: false },
            "announces `go ponder`; has no effect",
            Box::new(|_, _| Effect::None),
        ),
        spin(
            "MoveOverhead",
            10,
            (0, 5000),
            "time lost per move between the engine and the clock, in ms",
            |values, time| {
                values.move_overhead = Duration::from_millis(time.into());
            },
        )
        .with_alias("Move Overhead")
        .suggested_for(&["Slow Mover", "Minimum Thinking Time", "Emergency Move Time"]),
        spin(
            "Seed",
            0,
            (0, i32::MAX.into()),
            "varies the play; the same seed repeats it",
            |values, seed| {
                values.settings.seed = seed.into();
            },
        ),
        combo(
            "Layout",
            Layout::default(),
            "Kamisado board of `position startpos` and `random`; setting it sets up the start",
            |values, layout| {
                values.start.layout = layout;
                Effect::SetUpStart
            },
        ),
        declare(
            "UCI_LimitStrength",
            OptionKind::Check { default: false },
            "play at the rating UCI_Elo",
            Box::new(|values, value| {
                values.limit_strength = value == OptionValue::Check(true);
                Effect::None
            }),
        )
        .suggested_for(STRENGTH_NAMES),
        spin(
            "UCI_Elo",
            strength::DEFAULT.into(),
            (lowest.into(), highest.into()),
            "rating to play at",
            |values, elo| {
                values.elo = elo;
            },
        )
        .suggested_for(STRENGTH_NAMES),
        declare(
            "LogFile",
            OptionKind::Text { default: String::new() },
            "file to append the dialogue to",
            log_file,
        )
        .suggested_for(&[
            "Debug Log File",
            "Write Debug Log",
            "Write Search Log",
            "Search Log Filename",
        ]),
        declare(
            "Clear Hash",
            OptionKind::Button,
            "clears the memory of earlier searches",
            Box::new(|_, _| Effect::ClearHash),
        ),
    ]
}

/// Parameters of the search as options.
#[cfg(feature = "tune")]
fn tunable() -> impl Iterator<Item = Declaration> {
    params::all().into_iter().map(|parameter| {
        let Parameter { name, purpose, is_switch, default, range: (min, max), .. } = parameter;
        let kind = if is_switch {
            OptionKind::Check { default: default != 0 }
        } else {
            OptionKind::Spin { default, min, max }
        };
        let set: Setter = Box::new(move |_, value| {
            match value {
                OptionValue::Check(is_on) => parameter.set(is_on.into()),
                OptionValue::Spin(number) => parameter.set(number),
                _ => {}
            }
            Effect::None
        });
        declare(name, kind, purpose, set)
    })
}

/// Declarations of all options, and their values.
pub struct Options {
    declarations: Vec<Declaration>,
    values: Values,
}

impl Options {
    /// Creates all options with their defaults.
    pub fn new(resources: Resources) -> Options {
        let mut values = Values {
            start: StartPosition::default(),
            settings: Settings::default(),
            lines: 1,
            move_overhead: Duration::ZERO,
            limit_strength: false,
            elo: strength::DEFAULT,
        };
        let declarations = declarations(resources);
        #[cfg(feature = "tune")]
        let declarations: Vec<_> = declarations.into_iter().chain(tunable()).collect();
        for declaration in &declarations {
            if let Some(default) = declaration.line.kind.default_value() {
                (declaration.set)(&mut values, default);
            }
        }
        Options { declarations, values }
    }

    /// Values of all options.
    pub const fn values(&self) -> &Values {
        &self.values
    }

    /// Lines that list the options, each with its help text.
    pub fn listing(&self) -> impl Iterator<Item = (&OptionLine, &'static str)> {
        self.declarations.iter().map(|declaration| (&declaration.line, declaration.help))
    }

    /// Sets an option and returns the action that follows.
    ///
    /// # Errors
    /// [`OptionError`] if the option is unknown or the value invalid; then nothing changes.
    pub fn set(&mut self, name: &str, value: Option<&str>) -> Result<Effect, OptionError> {
        if IGNORED.iter().any(|ignored| ignored.eq_ignore_ascii_case(name)) {
            return Ok(Effect::None);
        }
        let declaration = self.declarations.iter().find(|declaration| declaration.is_called(name));
        let declaration =
            declaration.ok_or_else(|| OptionError::unknown(name, self.suggestions(name)))?;
        let value = declaration.line.read(value)?;
        Ok((declaration.set)(&mut self.values, value))
    }

    /// Returns the options that an unknown name may mean: those with the effect of another engine's
    /// option of this name, or else the option with the most similar name.
    fn suggestions(&self, name: &str) -> Vec<String> {
        if let Some((_, command)) =
            COMMANDS.iter().find(|(option, _)| option.eq_ignore_ascii_case(name))
        {
            return vec![(*command).to_owned()];
        }
        let own_name = |declaration: &Declaration| declaration.line.name.clone();
        let equivalent =
            self.declarations.iter().filter(|declaration| declaration.is_suggested_for(name));
        let equivalent: Vec<String> = equivalent.map(own_name).collect();
        if !equivalent.is_empty() {
            return equivalent;
        }
        let distance = |declaration: &Declaration| suggest::distance(&declaration.line.name, name);
        let nearest = self
            .declarations
            .iter()
            .filter_map(|declaration| Some((distance(declaration)?, declaration)));
        nearest
            .min_by_key(|&(distance, _)| distance)
            .map(|(_, declaration)| own_name(declaration))
            .into_iter()
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn options() -> Options {
        Options::new(Resources::of_machine())
    }

    #[test]
    fn takes_defaults_from_declarations() {
        let options = options();
        let values = options.values();
        assert_eq!(values.settings, Settings { hash_mib: 64, threads: 1, seed: 0 });
        assert_eq!((values.start.variant, values.lines), (Variant::KamisadoStandard, 1));
        assert_eq!(values.move_overhead, Duration::from_millis(10));
    }

    #[test]
    fn options_accept_their_defaults() {
        let mut options = options();
        let lines: Vec<_> = options.listing().map(|(line, _)| line.clone()).collect();
        for line in lines {
            let default = match &line.kind {
                OptionKind::Check { default } => Some(default.to_string()),
                OptionKind::Spin { default, .. } => Some(default.to_string()),
                OptionKind::Combo { default, .. } | OptionKind::Text { default } => {
                    Some(default.clone())
                }
                OptionKind::Button => None,
            };
            assert!(options.set(&line.name, default.as_deref()).is_ok(), "{line}");
        }
    }

    #[test]
    fn ignores_case_of_names_and_choices() {
        let mut options = options();
        assert_eq!(options.set("uci_variant", Some("KAMISADO-LONG")), Ok(Effect::SetUpStart));
        assert_eq!(options.set("LAYOUT", Some("Turned")), Ok(Effect::SetUpStart));
        assert_eq!(options.values().start.variant, Variant::KamisadoLong);
        assert_eq!(options.values().start.layout, Layout::Turned);
    }

    #[test]
    fn accepts_move_overhead_by_both_names() {
        let mut options = options();
        for (name, value) in
            [("Move Overhead", "20"), ("MoveOverhead", "30"), ("move overhead", "40")]
        {
            assert_eq!(options.set(name, Some(value)), Ok(Effect::None));
            assert_eq!(options.values().move_overhead.as_millis().to_string(), value);
        }
        let error = options.set("Move Overhead", Some("x")).unwrap_err().to_string();
        assert_eq!(
            error,
            "invalid value `x` for option `MoveOverhead`: expected a whole number from 0 to 5000"
        );
    }

    #[test]
    fn ignores_uci_options_without_effect() {
        let mut options = options();
        for name in
            ["UCI_AnalyseMode", "UCI_Opponent", "UCI_ShowWDL", "UCI_EngineAbout", "uci_showwdl"]
        {
            for value in [None, Some("true"), Some("none none computer an engine")] {
                assert_eq!(options.set(name, value), Ok(Effect::None), "{name} {value:?}");
            }
        }
    }

    #[test]
    fn suggests_options_for_unknown_name() {
        let mut options = options();
        let cases = [
            ("Skill Level", ", such as `UCI_LimitStrength` and `UCI_Elo`"),
            ("skilllevel", ", such as `UCI_LimitStrength` and `UCI_Elo`"),
            ("Debug Log File", ", such as `LogFile`"),
            ("Slow Mover", ", such as `MoveOverhead`"),
            ("Move_Overhead", ", such as `MoveOverhead`"),
            ("ClearHash", ", such as `Clear Hash`"),
            ("HashSize", ", such as `Hash`"),
            ("Hsah", ", such as `Hash`"),
            ("Thread", ", such as `Threads`"),
            ("Multi PV", ", such as `MultiPV`"),
            ("Elo", ", such as `UCI_Elo`"),
            ("Variant", ", such as `UCI_Variant`"),
            ("nodestime", ", such as `go nodes N`"),
            ("SyzygyPath", ""),
            ("EvalFile", ""),
            ("Depth", ""),
        ];
        for (name, expected) in cases {
            let error = options.set(name, Some("1")).unwrap_err().to_string();
            assert_eq!(
                error,
                format!("unknown option `{name}`: expected one listed by `uci`{expected}")
            );
        }
    }

    #[test]
    fn rejected_value_changes_nothing() {
        let mut options = options();
        for (name, value) in [
            ("Hash", "0"),
            ("Hash", "65537"),
            ("Layout", "upside-down"),
            ("Ponder", "1"),
            ("Depth", "1"),
        ] {
            assert!(options.set(name, Some(value)).is_err(), "{name} {value}");
        }
        assert_eq!(options.values().settings.hash_mib, 64);
    }
}

//! `basho sheet` and `convert`: conversion of games between text formats.

use std::path::PathBuf;
use std::str::FromStr;

use clap::Args;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use strum::{ParseError, VariantArray};

use basho::config::VariantName;
use basho::output::terminal;
use basho::records::convert::{self, Archive, Target, TextForm};
use basho::sheet::Sheet;
use oshi::games::language::Language;
use oshi::games::notation::Form;

use crate::IO_ERROR;

/// Command-line arguments of `basho sheet`.
#[derive(Args)]
pub struct SheetCommand {
    #[command(flatten)]
    games: Games,
    #[command(flatten)]
    notation: Notation,
    /// Parse score sheets to moves instead, and report the first ply of each that does not fit.
    #[arg(long, conflicts_with_all = ["from", "lang", "symbols", "words"])]
    parse: bool,
}

impl SheetCommand {
    /// Prints the games and returns the exit code.
    pub fn execute(self) -> anyhow::Result<u8> {
        if self.parse {
            Games { from: Some(TextForm::Sheet), ..self.games }.print(Target::Moves)
        } else {
            self.games.print(self.notation.target())
        }
    }
}

/// Command-line arguments of `basho convert`.
#[derive(Args)]
pub struct Convert {
    #[command(flatten)]
    games: Games,
    #[command(flatten)]
    notation: Notation,
    /// Output format: records, score sheets, or one `position` command per game.
    #[arg(long, value_parser = value_names(TextForm::PRINTED))]
    to: TextForm,
}

impl Convert {
    /// Prints the games and returns the exit code.
    pub fn execute(self) -> anyhow::Result<u8> {
        let target = match self.to {
            TextForm::Jsonl => Target::Jsonl,
            TextForm::Moves => Target::Moves,
            TextForm::Sheet | TextForm::Boardspace => self.notation.target(),
        };
        self.games.print(target)
    }
}

/// Returns a parser for values named by their `strum` strings.
fn value_names<T>(values: &'static [T]) -> impl TypedValueParser<Value = T>
where
    T: Copy + Into<&'static str> + FromStr<Err = ParseError> + Send + Sync,
{
    PossibleValuesParser::new(values.iter().map(|&value| -> &'static str { value.into() }))
        .try_map(|word| word.parse())
}

/// Options that select the games to read.
#[derive(Args)]
struct Games {
    /// Folder of a tournament, its games.jsonl, or a file of score sheets, of lists of moves, or of
    /// Boardspace games.
    file: PathBuf,
    /// Number of the only game to print.
    #[arg(long)]
    game: Option<u64>,
    /// Format of the file, if detection fails.
    #[arg(long, value_parser = value_names(TextForm::VARIANTS))]
    from: Option<TextForm>,
    /// Variant of `startpos`, if other than the tournament's.
    #[arg(long)]
    variant: Option<String>,
}

/// Options for the notation of score sheets.
#[derive(Args)]
struct Notation {
    /// Language of the sheet.
    #[arg(
        long,
        default_value = Language::default().code(),
        value_parser = value_names(Language::VARIANTS)
    )]
    lang: Language,
    /// Write plies in words, such as `Violet Left 5 Yellow`. This is the default.
    #[arg(long)]
    words: bool,
    /// Write plies in symbols, such as `V↖5Y`.
    #[arg(long, conflicts_with = "words")]
    symbols: bool,
}

impl Notation {
    fn target(&self) -> Target {
        Target::Sheet(if self.symbols { Form::Symbols } else { Form::Words }, self.lang)
    }
}

impl Games {
    /// Prints the games, and an error for each game that cannot be read.
    fn print(self, target: Target) -> anyhow::Result<u8> {
        let variant =
            self.variant.map(VariantName::try_from).transpose().map_err(anyhow::Error::msg)?;
        let archive =
            Archive::open(&self.file, self.from, variant.map(|VariantName(variant)| variant))?;
        let (mut number, mut printed, mut rejected) = (0, 0, 0);
        for game in archive.games() {
            // If plies before the fault were kept, the fault belongs to the game just printed.
            let is_same_game = game.as_ref().is_err_and(|bad| bad.fault.keeps_plies());
            number += u64::from(!is_same_game);
            let is_selected = |sheet: &Sheet| {
                self.game.is_none_or(|selected| sheet.game.unwrap_or(number) == selected)
            };
            let text = match game {
                Ok(sheet) if !is_selected(&sheet) => continue,
                Ok(sheet) => convert::print(&sheet, number, target)
                    .map_err(|fault| format!("game {number}: {fault}")),
                Err(bad) => Err(bad.to_string()),
            };
            match text {
                Ok(text) => {
                    // A blank line separates sheets.
                    let gap =
                        if printed > 0 && matches!(target, Target::Sheet(..)) { "\n" } else { "" };
                    terminal::say(&format!("{gap}{text}"));
                    printed += 1;
                }
                Err(message) => {
                    terminal::print_error(&format!("Error: {message}"));
                    rejected += 1;
                }
            }
        }
        if printed + rejected == 0 {
            let expected =
                self.game.map_or_else(|| "a game".to_owned(), |game| format!("game {game}"));
            anyhow::bail!("{}: no moves found; expected {expected}", self.file.display());
        }
        Ok(if rejected > 0 { IO_ERROR } else { 0 })
    }
}

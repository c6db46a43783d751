//! `basho sheet` and `convert`: games from one form of text to another.

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

use crate::FILES;

/// Games to print as score sheets, or to read from them.
#[derive(Args)]
pub struct SheetCommand {
    #[command(flatten)]
    games: Games,
    #[command(flatten)]
    notation: Notation,
    /// Read score sheets back to moves instead, and find the first ply of each that does not fit.
    #[arg(long, conflicts_with_all = ["from", "lang", "symbols", "words"])]
    parse: bool,
}

impl SheetCommand {
    /// Prints them; the exit code.
    pub fn perform(self) -> anyhow::Result<u8> {
        if self.parse {
            Games { from: Some(TextForm::Sheet), ..self.games }.print(Target::Moves)
        } else {
            self.games.print(self.notation.target())
        }
    }
}

/// Games to print in another form.
#[derive(Args)]
pub struct Convert {
    #[command(flatten)]
    games: Games,
    #[command(flatten)]
    notation: Notation,
    /// The form to print: records, score sheets, or one `position` command a game.
    #[arg(long, value_parser = words(TextForm::PRINTED))]
    to: TextForm,
}

impl Convert {
    /// Prints them; the exit code.
    pub fn perform(self) -> anyhow::Result<u8> {
        let target = match self.to {
            TextForm::Jsonl => Target::Jsonl,
            TextForm::Moves => Target::Moves,
            TextForm::Sheet | TextForm::Boardspace => self.notation.target(),
        };
        self.games.print(target)
    }
}

/// The command-line words of some values.
fn words<T>(values: &'static [T]) -> impl TypedValueParser<Value = T>
where
    T: Copy + Into<&'static str> + FromStr<Err = ParseError> + Send + Sync,
{
    PossibleValuesParser::new(values.iter().map(|&value| -> &'static str { value.into() }))
        .try_map(|word| word.parse())
}

/// Which games are read.
#[derive(Args)]
struct Games {
    /// The folder of a tournament, its games.jsonl, a file of score sheets, of moves, or of games of Boardspace.
    file: PathBuf,
    /// Only the game with this number.
    #[arg(long)]
    game: Option<u64>,
    /// The form of the file, if it cannot be recognized.
    #[arg(long, value_parser = words(TextForm::VARIANTS))]
    from: Option<TextForm>,
    /// The variant that `startpos` is the start of, if not the tournament's.
    #[arg(long)]
    variant: Option<String>,
}

/// How score sheets are written.
#[derive(Args)]
struct Notation {
    /// The language of the words.
    #[arg(long, default_value = Language::default().code(), value_parser = words(Language::VARIANTS))]
    lang: Language,
    /// Write `Violet Left 5 Yellow`, as is the default.
    #[arg(long)]
    words: bool,
    /// Write `V↖5Y`.
    #[arg(long, conflicts_with = "words")]
    symbols: bool,
}

impl Notation {
    fn target(&self) -> Target {
        Target::Sheet(if self.symbols { Form::Symbols } else { Form::Words }, self.lang)
    }
}

impl Games {
    /// Prints the games, and an error for each one that cannot be read.
    fn print(self, target: Target) -> anyhow::Result<u8> {
        let variant =
            self.variant.map(VariantName::try_from).transpose().map_err(anyhow::Error::msg)?;
        let archive =
            Archive::open(&self.file, self.from, variant.map(|VariantName(variant)| variant))?;
        let (mut number, mut printed, mut refused) = (0, 0, 0);
        for game in archive.games() {
            // A fault behind plies that are kept belongs to the game that they are.
            let is_same_game = game.as_ref().is_err_and(|bad| bad.fault.keeps_plies());
            number += u64::from(!is_same_game);
            let asked =
                |sheet: &Sheet| self.game.is_none_or(|asked| sheet.game.unwrap_or(number) == asked);
            let text = match game {
                Ok(sheet) if !asked(&sheet) => continue,
                Ok(sheet) => convert::print(&sheet, number, target)
                    .map_err(|fault| format!("game {number}: {fault}")),
                Err(bad) => Err(bad.to_string()),
            };
            match text {
                Ok(text) => {
                    // Sheets are separated by a blank line.
                    let gap =
                        if printed > 0 && matches!(target, Target::Sheet(..)) { "\n" } else { "" };
                    terminal::say(&format!("{gap}{text}"));
                    printed += 1;
                }
                Err(message) => {
                    terminal::print_error(&format!("Error: {message}"));
                    refused += 1;
                }
            }
        }
        if printed + refused == 0 {
            let asked =
                self.game.map_or_else(|| "a game".to_owned(), |asked| format!("game {asked}"));
            anyhow::bail!("{}: no moves found; expected {asked}", self.file.display());
        }
        Ok(if refused > 0 { FILES } else { 0 })
    }
}

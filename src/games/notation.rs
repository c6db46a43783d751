//! Notation for people: names of moves, and the lines between them on a score sheet.

use strum::VariantArray;

use super::language::{Language, fill};
use crate::game::Text;

/// Form of move names.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default, VariantArray)]
pub enum Form {
    /// `Violet Left 5 Yellow`
    #[default]
    Words,
    /// `V↖5Y`, the same in every language.
    Symbols,
}

impl Form {
    /// Both forms.
    pub const ALL: &[Form] = Form::VARIANTS;
}

/// A game with a notation for people.
///
/// ```
/// use oshi::game::Text;
/// use oshi::games::kamisado::{Match, Target};
/// use oshi::games::language::Language;
/// use oshi::games::notation::{Form, Notation};
///
/// let position = Match::start(Target::Simple);
/// let mv = position.parse_move("f1c4")?;
/// let name = |language| position.name_move(mv, Form::Words, language);
/// assert_eq!(name(Language::English), "Violet Left 3 Green");
/// assert_eq!(name(Language::French), "Violet Gauche 3 Vert");
/// assert_eq!(name(Language::German), "Lila Links 3 Grün");
/// assert_eq!(name(Language::Romanian), "Mov Stânga 3 Verde");
/// assert_eq!(position.name_move(mv, Form::Symbols, Language::English), "V↖3G");
/// # Ok::<(), oshi::game::MoveError>(())
/// ```
pub trait Notation: Text {
    /// Name of the variant that this position belongs to, as in `UCI_Variant`.
    fn variant_name(&self) -> &'static str;

    /// Name of a legal move, unique among the legal moves.
    ///
    /// A name is redundant, so that a mistake shows at once: it includes the colour that a tower
    /// lands on, or the token under a hexagon. Only names in words contain spaces. The default is
    /// the move's text form.
    fn name_move(&self, mv: Self::Move, _form: Form, _language: Language) -> String {
        mv.to_string()
    }

    /// Other names of a legal move, which are read but never written. Each contains a letter or is
    /// a dash.
    fn other_names(&self, _mv: Self::Move, _language: Language) -> Vec<String> {
        Vec::new()
    }

    /// Lines above the moves of a round that begins at this position, or continues here at the
    /// start of a sheet. Rounds are numbered from 1. Empty if the game has no rounds.
    fn round_heading(&self, _number: u32, _language: Language) -> Vec<String> {
        Vec::new()
    }

    /// Results of the move from `before` to this position, one per line: the winner of the round,
    /// the winner of the game.
    fn decided_since(&self, _before: &Self, _language: Language) -> Vec<String> {
        Vec::new()
    }

    /// How a finished game ended, in one or two words, or empty.
    fn how_it_ended(&self, _language: Language) -> &'static str {
        ""
    }

    /// The next action in one line: the player and, in Kamisado, the called tower. May be empty if
    /// the game is over.
    fn status(&self, language: Language) -> String {
        let terms = language.terms();
        let player = terms.players[self.turn().index()];
        if self.outcome().is_some() {
            String::new()
        } else {
            fill(terms.to_move, &[("player", player)])
        }
    }
}

//! How a game is written down by people: moves by name, and what stands between them on a score sheet.

use strum::VariantArray;

use super::language::{Language, fill};
use crate::game::Text;

/// Whether moves are written in words or in symbols.
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

/// A game in the notation of its players.
pub trait Notation: Text {
    /// The name of the variant that this position belongs to, as `UCI_Variant` has it.
    fn variant_name(&self) -> &'static str;

    /// The name of a legal move, different for each move of the position. It says more than the move needs, so that a mistake is
    /// found where it was made: the colour that a tower lands on, the token that a hexagon is played on. Only names in words
    /// hold spaces.
    /// Games without a notation of their own write the move as the protocol does.
    fn name_move(&self, mv: Self::Move, _form: Form, _language: Language) -> String {
        mv.to_string()
    }

    /// Other names that are read for a legal move, and never written. Each has a letter, or is a dash.
    fn other_names(&self, _mv: Self::Move, _language: Language) -> Vec<String> {
        Vec::new()
    }

    /// The lines over the moves of a round that begins here, or goes on here at the start of a sheet; none if the game has no
    /// rounds. They are counted from 1.
    fn round_heading(&self, _number: u32, _language: Language) -> Vec<String> {
        Vec::new()
    }

    /// What the move that led here from `before` has decided, a line each: who won the round, who won the game.
    fn decided_since(&self, _before: &Self, _language: Language) -> Vec<String> {
        Vec::new()
    }

    /// How a game that is over ended, in a word or two; empty if there is no word for it.
    fn how_it_ended(&self, _language: Language) -> &'static str {
        ""
    }

    /// Who is to do what, in a line; empty where the game is over, unless the game has a word for that.
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

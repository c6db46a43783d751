//! Move names: the cell with the colour and symbol of its token.

use super::{Cell, Kamon, Token};
use crate::game::Game;
use crate::games::language::{Language, fill};
use crate::games::notation::{Form, Notation};

impl Notation for Kamon {
    fn variant_name(&self) -> &'static str {
        "kamon"
    }

    fn name_move(&self, cell: Cell, form: Form, language: Language) -> String {
        let terms = &language.terms().kamon;
        match (form, self.token(cell)) {
            (Form::Words, Token::Plain(colour, symbol)) => {
                format!(
                    "{cell} {} {}",
                    terms.colours[colour as usize], terms.symbols[symbol as usize]
                )
            }
            (_, token) => format!("{cell}{token}"),
        }
    }

    fn decided_since(&self, _before: &Kamon, language: Language) -> Vec<String> {
        let terms = language.terms();
        let player = terms.players[(!self.turn()).index()];
        let decided = self
            .end()
            .map(|ending| fill(terms.kamon.endings[ending as usize], &[("player", player)]));
        decided.into_iter().collect()
    }

    fn how_it_ended(&self, language: Language) -> &'static str {
        self.end().map_or("", |ending| language.terms().kamon.hows[ending as usize])
    }
}

//! Published notation of a ply, and the lines of a score sheet between rounds.
//!
//! A ply is named by the tower's colour, the direction, the distance and the colour of the target.

use super::position_line::tower_text;
use super::refill::Side;
use super::rules::{Match, Move, Stage, Target};
use super::square::{Colour, FAR_ROW, Square};
use crate::game::{Game, Player};
use crate::games::language::{Language, fill};
use crate::games::notation::{Form, Notation};

/// Direction of a move as the owner of the tower sees it.
#[derive(Clone, Copy)]
enum Direction {
    Ahead,
    Left,
    Right,
    /// Only by the opponent's oshi.
    Back,
}

impl Direction {
    const fn arrow(self) -> char {
        match self {
            Direction::Ahead => '↑',
            Direction::Left => '↖',
            Direction::Right => '↗',
            Direction::Back => '↓',
        }
    }
}

/// Move of one tower in a ply. An oshi has one for the pusher and one for each pushed tower.
struct Shift {
    tower: Colour,
    /// `None` for a blocked tower.
    direction: Option<Direction>,
    /// In squares.
    distance: u8,
    landing: Colour,
}

impl Notation for Match {
    fn variant_name(&self) -> &'static str {
        match self.target {
            Target::Simple => "kamisado-simple",
            Target::Standard => "kamisado-standard",
            Target::Long => "kamisado-long",
            Target::Marathon => "kamisado-marathon",
        }
    }

    /// The last colour is that of the tower called next, even after an oshi.
    fn name_move(&self, mv: Move, form: Form, language: Language) -> String {
        let shifts = match mv {
            Move::Refill(side) => return name_refill(side, form, language),
            Move::Pass => self.blocked().into_iter().collect(),
            Move::Tower { from, to } => self.shifts(from, to),
        };
        let names: Vec<String> =
            shifts.iter().map(|shift| self.name_shift(shift, form, language)).collect();
        names.join(match form {
            Form::Words => ", ",
            Form::Symbols => ",",
        })
    }

    /// `Pass`; `Left` and `L` for a refill; an oshi with only the pusher.
    fn other_names(&self, mv: Move, language: Language) -> Vec<String> {
        let terms = &language.terms().kamisado;
        let [_, left, right, _] = terms.directions;
        match mv {
            Move::Pass => terms.passes.iter().map(ToString::to_string).collect(),
            Move::Refill(Side::Left) => vec![left.to_owned(), "L".to_owned()],
            Move::Refill(Side::Right) => vec![right.to_owned(), "R".to_owned()],
            Move::Tower { from, to } => {
                let pusher = self.shifts(from, to).into_iter().take(1);
                pusher
                    .flat_map(|shift| {
                        Form::ALL.iter().map(move |&form| self.name_shift(&shift, form, language))
                    })
                    .collect()
            }
        }
    }

    /// The number and the points. If all towers are on their home rows, also each player's towers
    /// from their left.
    fn round_heading(&self, number: u32, language: Language) -> Vec<String> {
        if self.stage != Stage::Playing {
            return Vec::new();
        }
        let terms = language.terms();
        let values = [("number", &*number.to_string()), ("score", &*self.score())];
        let mut lines = vec![fill(terms.kamisado.round, &values)];
        for (player, name) in Player::ALL.into_iter().zip(terms.players) {
            let home_row =
                (0..8).filter_map(|file| self.round.board.tower_at(player, Square::new(file, 0)));
            let towers: Vec<String> =
                home_row.map(|tower| tower_text(self, player, tower).to_uppercase()).collect();
            if self.is_free_choice() && towers.len() == 8 {
                lines.push(format!("{name}: {}", towers.join(" ")));
            }
        }
        lines
    }

    fn decided_since(&self, before: &Match, language: Language) -> Vec<String> {
        let terms = language.terms();
        let winner = Player::ALL.into_iter().find_map(|player| {
            let tower = Colour::ALL
                .into_iter()
                .find(|&tower| self.teeth(player, tower) > before.teeth(player, tower))?;
            Some((player, tower))
        });
        let Some((player, tower)) = winner else { return Vec::new() };
        let has_arrived = self.round.board.tower(player, tower).bit() & FAR_ROW != 0;
        let rank = usize::from(self.teeth(player, tower)).saturating_sub(1);
        let points = self.points[player.index()].saturating_sub(before.points[player.index()]);
        let values = [
            ("player", terms.players[player.index()]),
            ("how", terms.kamisado.hows[usize::from(!has_arrived)]),
            ("tower", terms.kamisado.colours[self.layout.rename(tower).index()]),
            ("rank", terms.kamisado.ranks[rank]),
            ("points", &points.to_string()),
            ("score", &self.score()),
        ];
        let mut lines = vec![fill(terms.kamisado.round_won, &values)];
        if self.outcome().is_some() {
            lines.push(fill(terms.kamisado.match_won, &values));
        }
        lines
    }

    fn how_it_ended(&self, language: Language) -> &'static str {
        // After the match it is the loser's turn.
        language.terms().kamisado.hows[usize::from(!self.has_arrived(!self.round.turn))]
    }

    fn status(&self, language: Language) -> String {
        let terms = language.terms();
        let tower = self.called();
        let square =
            tower.map(|tower| self.tower(self.turn(), tower).to_string()).unwrap_or_default();
        let player = if self.stage == Stage::Over { !self.turn() } else { self.turn() };
        let values = [
            ("player", terms.players[player.index()]),
            (
                "tower",
                tower.map_or("", |tower| terms.kamisado.colours[self.layout.rename(tower).index()]),
            ),
            ("square", square.as_str()),
            ("score", &self.score()),
        ];
        let template = match self.stage {
            Stage::Over => terms.kamisado.match_won,
            Stage::Refill => terms.kamisado.chooses,
            Stage::Playing if tower.is_none() => terms.kamisado.opens,
            Stage::Playing => terms.kamisado.called[usize::from(self.round.must_pass())],
        };
        fill(template, &values)
    }
}

impl Match {
    fn score(&self) -> String {
        let [black, white] = self.points;
        format!("{black}-{white}")
    }

    /// The called tower on its square.
    fn blocked(&self) -> Option<Shift> {
        let tower = self.called()?;
        Some(Shift {
            tower,
            direction: None,
            distance: 0,
            landing: self.round.board.tower(self.turn(), tower).colour(),
        })
    }

    /// The mover's tower, then the towers that it pushes, the rearmost last.
    fn shifts(&self, from: Square, to: Square) -> Vec<Shift> {
        let (player, board) = (self.turn(), &self.round.board);
        let [from, to] = [from, to].map(|square| square.seen_by(player));
        let Some(tower) = board.tower_at(player, from) else { return Vec::new() };
        let direction = match to.file().cmp(&from.file()) {
            std::cmp::Ordering::Less => Direction::Left,
            std::cmp::Ordering::Equal => Direction::Ahead,
            std::cmp::Ordering::Greater => Direction::Right,
        };
        let distance = to.rank().abs_diff(from.rank());
        let mut shifts =
            vec![Shift { tower, direction: Some(direction), distance, landing: to.colour() }];
        if board.occupied(player) & to.bit() != 0 {
            let pushed = (1..=board.oshi(player, tower).unwrap_or(0)).filter_map(|n| {
                let tower = board.tower_at(!player, from.ahead(n)?.half_turn())?;
                Some(Shift {
                    tower,
                    direction: Some(Direction::Back),
                    distance: 1,
                    landing: from.ahead(n + 1)?.colour(),
                })
            });
            shifts.extend(pushed);
        }
        shifts
    }

    fn name_shift(&self, shift: &Shift, form: Form, language: Language) -> String {
        let [tower, landing] =
            [shift.tower, shift.landing].map(|colour| self.layout.rename(colour));
        let distance = shift.distance;
        match form {
            Form::Words => {
                let terms = &language.terms().kamisado;
                let [tower, landing] = [tower, landing].map(|colour| terms.colours[colour.index()]);
                match shift.direction {
                    Some(direction) => format!(
                        "{tower} {} {distance} {landing}",
                        terms.directions[direction as usize]
                    ),
                    None => format!("{tower} {distance} {landing}"),
                }
            }
            Form::Symbols => {
                let [tower, landing] =
                    [tower, landing].map(|colour| colour.letter().to_ascii_uppercase());
                let arrow = shift
                    .direction
                    .map(|direction| direction.arrow().to_string())
                    .unwrap_or_default();
                format!("{tower}{arrow}{distance}{landing}")
            }
        }
    }
}

fn name_refill(side: Side, form: Form, language: Language) -> String {
    match (form, side) {
        (Form::Words, side) => language.terms().kamisado.refills[side as usize].to_owned(),
        (Form::Symbols, Side::Left) => "←".to_owned(),
        (Form::Symbols, Side::Right) => "→".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::Text;
    use crate::games::kamisado::Layout;

    /// The move in symbols, then in the words of each language.
    fn names(line: &str, mv: &str) -> Vec<String> {
        let position: Match = line.parse().unwrap();
        let mv = position.parse_move(mv).unwrap();
        let words =
            Language::ALL.iter().map(|&language| position.name_move(mv, Form::Words, language));
        std::iter::once(position.name_move(mv, Form::Symbols, Language::English))
            .chain(words)
            .collect()
    }

    const START: &str = "OLVPYRGB/8/8/8/8/8/8/bgrypvlo b - 0-0 3";

    #[test]
    fn names_tower_direction_distance_and_target() {
        let expected = [
            "L↖5P",
            "Blue Left 5 Pink",
            "Bleu Gauche 5 Rose",
            "Blau Links 5 Rosa",
            "Albastru Stânga 5 Roz",
        ];
        assert_eq!(names(START, "g1b6"), expected);
        assert_eq!(names(START, "a1a5")[..2], ["B↑4P", "Brown Ahead 4 Pink"]);
        assert_eq!(names(START, "a1b2")[..2], ["B↗1B", "Brown Right 1 Brown"]);
    }

    #[test]
    fn describes_next_action_in_every_language() {
        let status = |line: &str, language| line.parse::<Match>().unwrap().status(language);
        assert_eq!(status(START, Language::English), "Black opens the round with any tower");
        let called = "OLVPYRGB/8/8/8/b7/8/8/1grypvlo w y 0-0 3";
        assert_eq!(status(called, Language::French), "Blanc : Jaune en e8 est la tour active");
        assert_eq!(status(called, Language::German), "Weiß: Gelb auf e8 muss ziehen");
        let blocked = "1LV1YR2/2rP1G2/8/O2yp3/8/8/1g5B/b4vlo w b 0-0 1";
        assert_eq!(status(blocked, Language::English), "White: Brown on h2 is blocked and passes");
        let refill = "O+o+RPG1L+B/8/8/8/8/3+g1Y2/2r4V/p3yvbl b refill 2-2 3";
        assert_eq!(status(refill, Language::Romanian), "Negru a câștigat runda și alege aranjarea");
    }

    #[test]
    fn left_is_the_movers_left() {
        let white = "OLVPYRGB/8/8/8/8/8/8/bgrypvlo w - 0-0 3";
        assert_eq!(names(white, "b8g3")[..2], ["L↖5P", "Blue Left 5 Pink"]);
    }

    #[test]
    fn names_plies_in_the_colours_of_the_layout() {
        for (layout, name) in Layout::ALL.iter().copied().zip(["L↖5P", "G↖5Y", "V↖5Y", "R↖5P"])
        {
            let position = Match::start(Target::Standard).with_layout(layout);
            let mv = position.parse_move("g1b6").unwrap();
            assert_eq!(position.name_move(mv, Form::Symbols, Language::English), name);
        }
    }
}

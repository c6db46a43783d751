//! What the net of the match is told of a position: what the net of rounds is, and how the match stands around the round.

use std::iter;

use arrayvec::ArrayVec;

use super::features::Features;
use super::match_state::MatchState;
pub use super::match_value::PAYOFF_CLASSES;
use super::match_value::payoff_classes;
use super::round_net;
use super::win_probability::match_probability;
use crate::game::{Game, MAX_MOVES, Player, RoundProof};
use crate::games::kamisado::board::Colour;
use crate::games::kamisado::rules::{Match, Move};

/// So many different values each number of the standing has.
pub const STATE_SIZES: [usize; 4] = [8, 8, WINNER_CLASSES, 4];

/// So many answers to who wins a round: it is not known, the player to move, the enemy.
pub const WINNER_CLASSES: usize = 3;

/// A chance counts as no less than this, and as no more than 1 less this.
const LEAST_CHANCE: f32 = 0.000_001;

/// A position of a match as the player to move sees it.
#[derive(Clone, PartialEq, Debug)]
pub struct MatchFeatures {
    /// The round.
    pub round: Features,
    /// What a win of the round with each tower would be worth among the towers of its player: 0 the least to 3 the most, 4 where they hardly
    /// differ. Those of the player to move and the enemy's, by colour.
    pub payoff_classes: [[u8; 8]; 2],
    /// The points that the player to move and the enemy need: 1, 2, 3, 4, up to 6, 8, 11 and more; who wins the round, if that is known: 0 not
    /// known, 1 the player to move, 2 the enemy; the target.
    pub state: [u8; 4],
    /// Who wins the round after each move, in the same way.
    pub winners: ArrayVec<u8, MAX_MOVES>,
    /// The chance of the player to move by what is known of the round and by the standing alone, as a logit.
    pub state_logit: f32,
}

impl MatchFeatures {
    /// A position and some of its legal moves, with what is known of the round's winner before and after each of them, the latter empty where
    /// nobody has asked; `None` where no round is in play.
    pub fn new(
        position: &Match,
        moves: &[Move],
        round: RoundProof,
        winners: &[Option<Player>],
    ) -> Option<MatchFeatures> {
        let turn = position.turn();
        let answer =
            |winner: Option<Player>| winner.map_or(0, |winner| if winner == turn { 1 } else { 2 });
        let nobody_asked = iter::repeat_n(&None, moves.len());
        let winners: ArrayVec<u8, MAX_MOVES> = winners
            .iter()
            .chain(nobody_asked)
            .take(moves.len())
            .map(|&winner| answer(winner))
            .collect();
        let winner = match round {
            RoundProof::Won(winner) => answer(Some(winner)),
            _ if winners.contains(&1) => 1,
            _ => winners.iter().copied().min().unwrap_or(0),
        };
        let standing = MatchState::new(position);
        let players = [turn, !turn];
        let payoff_classes = players.map(|player| {
            let payoff_classes = payoff_classes(&standing, player);
            Colour::ALL.map(|colour| {
                payoff_classes[usize::from(position.round.board.teeth(player, colour).min(3))]
            })
        });
        let view = Features::new(position, moves)?;
        let round = match winner {
            0 => round,
            winner => RoundProof::Won(players[usize::from(winner) - 1]),
        };
        let logit = view
            .called
            .filter(|_| winner == 0)
            .map(|_| round_net::Net::fitted().forward(&view).value);
        let chance =
            match_probability(position, round, logit).clamp(LEAST_CHANCE, 1.0 - LEAST_CHANCE);
        let state_logit = libm::logf(chance / (1.0 - chance));
        let [own, enemy] = players
            .map(|player| position.target.points().saturating_sub(position.points[player.index()]));
        let state = [class_of_need(own), class_of_need(enemy), winner, position.target as u8];
        Some(MatchFeatures { round: view, payoff_classes, state, winners, state_logit })
    }

    /// Who wins the round: 0 not known, 1 the player to move, 2 the enemy.
    pub const fn winner(&self) -> u8 {
        self.state[2]
    }

    /// The target of the match.
    pub const fn target(&self) -> u8 {
        self.state[3]
    }

    /// The same view where nothing is known of what moves lead to.
    pub fn without_winners(&self) -> MatchFeatures {
        let mut view = self.clone();
        view.winners.iter_mut().for_each(|winner| *winner = 0);
        view
    }
}

/// Points apart where each one counts, together where they are far.
const fn class_of_need(points: u8) -> u8 {
    match points {
        0 | 1 => 0,
        2..=4 => points - 1,
        5 | 6 => 4,
        7 | 8 => 5,
        9..=11 => 6,
        _ => 7,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn position(line: &str) -> Match {
        line.parse().unwrap()
    }

    fn view(position: &Match, round: RoundProof, winners: &[Option<Player>]) -> MatchFeatures {
        MatchFeatures::new(position, &position.legal_moves(), round, winners).unwrap()
    }

    #[test]
    fn a_round_is_won_by_whoever_has_a_winning_move_and_lost_if_all_moves_lose() {
        let position = position("O1VPYRGB/8/8/4L3/8/2r5/8/bg1ypvlo b b 0-0 7");
        let (turn, moves) = (position.turn(), position.legal_moves().len());
        let mut winners = vec![Some(!turn); moves];
        assert_eq!(view(&position, RoundProof::Unknown, &winners).winner(), 2);
        winners[0] = None;
        assert_eq!(view(&position, RoundProof::Unknown, &winners).winner(), 0);
        winners[1] = Some(turn);
        assert_eq!(view(&position, RoundProof::Unknown, &winners).winner(), 1);
        assert_eq!(
            view(&position, RoundProof::Won(!turn), &winners).winner(),
            2,
            "what is proven of the round comes first"
        );
    }

    #[test]
    fn nothing_is_known_of_moves_that_nobody_has_asked_about() {
        let position = position("O1VPYRGB/8/8/4L3/8/2r5/8/bg1ypvlo b b 0-0 7");
        let view = view(&position, RoundProof::Unknown, &[]);
        assert_eq!(view.winners.len(), position.legal_moves().len());
        assert!(view.winners.iter().all(|&winner| winner == 0));
    }

    /// What the round is worth to the player to move if it is won, and if it is lost.
    fn won_and_lost(line: &str) -> [f32; 2] {
        let position = position(line);
        [position.turn(), !position.turn()]
            .map(|winner| view(&position, RoundProof::Won(winner), &[]).state_logit)
    }

    #[test]
    fn a_won_round_is_worth_more_by_the_standing_than_a_lost_one() {
        let towers = [
            ("O1VPYRGB", "bg1ypvlo", "0-0 3"),
            ("O1VPYRGB", "bg1ypvlo", "1-0 3"),
            ("O1VPYRGB", "bg1ypvlo", "0-5 7"),
            ("O1VPYRGB", "+bg1ypvlo", "1-0 3"),
            ("++O1+V+PYRGB", "bg1ypvlo", "0-5 7"),
            ("++O1VPYRGB", "b+++g1++y+pvlo", "11-3 15"),
        ];
        for (white, black, score) in towers {
            let [won, lost] = won_and_lost(&format!("{white}/8/8/4L3/8/2r5/8/{black} b b {score}"));
            assert!(won > lost, "{won} and {lost} with {white} and {black} at {score}");
        }
    }

    /// Also at scores that do not go with the towers, of which no match has taught anything.
    #[test]
    fn a_won_round_is_never_worth_less_by_the_standing_than_a_lost_one() {
        for target in [3_u8, 7, 15] {
            for (black, white) in
                (0..target).flat_map(|black| (0..target).map(move |white| (black, white)))
            {
                let [won, lost] = won_and_lost(&format!(
                    "O1VPYRGB/8/8/4L3/8/2r5/8/bg1ypvlo b b {black}-{white} {target}"
                ));
                assert!(won >= lost, "{won} and {lost} at {black}-{white} to {target}");
            }
        }
    }

    #[test]
    fn the_tower_whose_win_is_worth_most_stands_highest() {
        let position = position("+OLVPYRGB/8/8/8/8/8/8/bgrypvlo b - 0-1 15");
        let view = view(&position, RoundProof::Unknown, &[]);
        assert_eq!(view.payoff_classes[0], [4; 8], "all plain towers are alike");
        let [sumo, plain] =
            [Colour::Orange, Colour::Brown].map(|colour| view.payoff_classes[1][colour as usize]);
        assert!(
            sumo != plain
                && view.payoff_classes[1].contains(&3)
                && view.payoff_classes[1].contains(&0),
            "{:?}",
            view.payoff_classes[1]
        );
    }
}

//! What the search is told of a position that nothing is proven of.

use super::board::{Board, Colour, FAR_ROW, SQUARES_OF};
use super::{Match, Move, Stage};
use crate::game::{Estimate, Game, Player};

/// What a round looks like from one player's side.
struct View {
    player: Player,
    /// The squares, as the player sees them, whose colour calls an enemy tower that wins at once.
    fatal: u64,
    /// How many of the player's towers would win at once if they were called.
    threats: u32,
}

impl View {
    /// What both players see, Black first.
    fn both(board: &Board) -> [View; 2] {
        let winning = Player::ALL.map(|player| {
            Colour::ALL.into_iter().filter(move |&colour| board.targets(player, colour) & FAR_ROW != 0).collect::<Colours>()
        });
        Player::ALL.map(|player| View {
            player,
            fatal: winning[(!player).index()].squares,
            threats: winning[player.index()].count,
        })
    }

    /// The moves of a tower after which the opponent does not win at once.
    fn safe_moves(&self, board: &Board, colour: Colour) -> u64 {
        board.targets(self.player, colour) & !self.fatal
    }
}

/// A set of colours: how many there are, and all squares that have one of them.
#[derive(Default)]
struct Colours {
    count: u32,
    squares: u64,
}

impl FromIterator<Colour> for Colours {
    fn from_iter<I: IntoIterator<Item = Colour>>(colours: I) -> Colours {
        colours.into_iter().fold(Colours::default(), |set, colour| Colours {
            count: set.count + 1,
            squares: set.squares | SQUARES_OF[colour.index()],
        })
    }
}

impl Estimate for Match {
    /// The chance to win the round from the features that a regression on solved positions found (safe moves and threats), and what
    /// winning it is worth in the match.
    fn chance(&self) -> f32 {
        let turn = self.turn();
        let board = &self.round.board;
        let round = match self.stage {
            Stage::Over => return if turn == Player::White { 1.0 } else { 0.0 },
            // The loser opens the next round, and the opener nearly always wins.
            Stage::Refill => 0.1,
            Stage::Playing => match self.round.called {
                None => 0.9,
                Some(called) => round_chance(board, turn, called),
            },
        };
        let black_wins_round = if turn == Player::Black { round } else { 1.0 - round };
        let after = |winner: Player| {
            let mut points = self.points;
            points[winner.index()] += 1;
            lead(points, self.target.points())
        };
        black_wins_round * after(Player::Black) + (1.0 - black_wins_round) * after(Player::White)
    }

    fn prior_logits(&self, moves: &[Move], logits: &mut [f32]) {
        let turn = self.turn();
        let board = &self.round.board;
        let views = View::both(board);
        for (mv, logit) in moves.iter().zip(logits) {
            *logit = match mv {
                // The same player moves again after an oshi.
                Move::Tower { to, .. } if self.tower_at(*to).is_some() => 1.0,
                Move::Tower { to, .. } => {
                    let called = to.colour();
                    if board.targets(!turn, called) == 0 {
                        1.7
                    } else if views[(!turn).index()].safe_moves(board, called) == 0 {
                        3.5
                    } else {
                        0.0
                    }
                }
                Move::Pass | Move::Refill(_) => 0.0,
            };
        }
    }
}

/// The chance of the player to move to win the round with the called tower.
fn round_chance(board: &Board, turn: Player, called: Colour) -> f32 {
    let views = View::both(board);
    let (own, enemy) = (&views[turn.index()], &views[(!turn).index()]);
    let safe = own.safe_moves(board, called).count_ones();
    let few = match safe {
        0 => -2.0,
        1 => -1.0,
        2 => -0.5,
        _ => 0.0,
    };
    let logit = few + 0.24 * (safe as f32 - 4.0) + 0.5 * own.threats as f32 - 0.3 * enemy.threats as f32;
    logistic(logit)
}

/// Black's chance in the match at the end of a round.
fn lead(points: [u8; 2], target: u8) -> f32 {
    match points.map(|points| points >= target) {
        [true, _] => 1.0,
        [_, true] => 0.0,
        _ => logistic(3.0 * (f32::from(points[0]) - f32::from(points[1])) / f32::from(target)),
    }
}

fn logistic(logit: f32) -> f32 {
    1.0 / (1.0 + (-logit).exp())
}

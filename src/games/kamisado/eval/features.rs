//! Features of a round for the networks: categorical features of each tower and move, and the graph
//! of calls.

use arrayvec::ArrayVec;

use super::lookahead::{CallResult, Lookahead};
use crate::game::{Game, MAX_MOVES, Player};
use crate::games::kamisado::board::Board;
use crate::games::kamisado::rules::{Match, Move, Stage};
use crate::games::kamisado::square::{Colour, FAR_ROW, Square, squares_of};

/// Number of values of each feature of a tower.
pub const TOWER_SIZES: [usize; 5] = [32, 12, 16, 8, 3];

/// Number of values of each feature of a move.
pub const MOVE_SIZES: [usize; 5] = [8, 8, 8, 4, 16];

/// Replaces the colour of the called tower for an oshi, after which the same player moves again.
pub const PUSH: u8 = 8;

/// Replaces the colour of the moving tower for a pass.
pub const PASS: u8 = 8;

/// Features of a tower.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct TowerFeatures {
    /// In the order of [`TOWER_SIZES`]:
    /// - rank from its owner's side, 0 to 7, plus 8 times its teeth
    /// - result of calling it, by the lookahead: a win after 0, 2, 4 or 6 further calls, a loss
    ///   after 1, 3 or 5, or unknown with 1, 2, 3, 4, or at least 5 safe moves
    /// - number of free target squares, at most 15
    /// - number of those on the far row, at most 3, plus 4 if it can push
    /// - 0 for a tower of the player to move, 1 for the called one, 2 for an enemy tower
    pub values: [u8; 5],
    /// Enemy towers that it can call by a move, or by a pass if it is blocked, as bits by colour.
    pub calls: u8,
}

/// Features of a move.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct MoveFeatures {
    /// In the order of [`MOVE_SIZES`]:
    /// - distance in ranks, 0 for an oshi or a pass
    /// - rank of the target
    /// - 1 if the tower then threatens to reach the far row, plus 2 if the target is also a target
    ///   of an own tower that can reach the far row, plus 4 if of such an enemy tower
    /// - 1 for a move from the home row, plus 2 if the tower could reach the far row
    /// - number of own towers for which it opens a line to the far row, at most 3, plus 4 times the
    ///   number of enemy towers, at most 3
    pub values: [u8; 5],
    /// Colour of the moving tower, or [`PASS`].
    pub mover: u8,
    /// Colour of the enemy tower that it calls, or [`PUSH`].
    pub callee: u8,
}

/// Features of a position, from the view of the player to move.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Features {
    /// Towers of the player to move and of the enemy, by colour.
    pub towers: [[TowerFeatures; 8]; 2],
    /// Colour of the called tower; `None` if the choice is free.
    pub called: Option<u8>,
    /// The given moves, in their order.
    pub moves: ArrayVec<MoveFeatures, MAX_MOVES>,
}

impl Features {
    /// Features of a position and some of its legal moves. `None` if no round is in play.
    pub fn new(position: &Match, moves: &[Move]) -> Option<Features> {
        (position.stage == Stage::Playing).then(|| Extractor::new(position).features(moves))
    }
}

/// Data of a position from which features are computed.
struct Extractor<'a> {
    board: &'a Board,
    turn: Player,
    called: Option<Colour>,
    lookahead: Lookahead,
    /// Targets of own towers, and of enemy towers, that can reach the far row, as the player to
    /// move sees them.
    winning_lines: [u64; 2],
}

impl<'a> Extractor<'a> {
    fn new(position: &'a Match) -> Self {
        let (board, turn) = (&position.round.board, position.turn());
        let lookahead = Lookahead::new(board);
        let lines = |player: Player| {
            let winning =
                |colour: &Colour| lookahead.result(player, *colour) == CallResult::Wins(0);
            Colour::ALL
                .into_iter()
                .filter(winning)
                .fold(0, |lines, colour| lines | lookahead.targets(player, colour))
        };
        let winning_lines = [lines(turn), lines(!turn).reverse_bits()];
        Extractor { board, turn, called: position.called(), lookahead, winning_lines }
    }

    fn features(&self, moves: &[Move]) -> Features {
        let towers = [self.turn, !self.turn]
            .map(|player| Colour::ALL.map(|colour| self.tower(player, colour)));
        let mut features = Features {
            towers,
            called: self.called.map(|called| called as u8),
            moves: ArrayVec::new(),
        };
        let mut mover = None;
        for &mv in moves {
            let Move::Tower { from, to } = mv else {
                let blocked = self.called.map(|called| self.board.tower(self.turn, called));
                let callee = blocked.map_or(PUSH, |square| square.colour() as u8);
                features.moves.push(MoveFeatures {
                    mover: PASS,
                    callee,
                    ..MoveFeatures::default()
                });
                continue;
            };
            let from = from.seen_by(self.turn);
            // The moves of a tower are consecutive.
            let mover = match mover {
                Some(mover @ Mover { from: last, .. }) if last == from => mover,
                _ => *mover.insert(Mover::new(self, from)),
            };
            features.moves.push(self.slide_or_push(mover, to.seen_by(self.turn)));
        }
        features
    }

    fn tower(&self, player: Player, colour: Colour) -> TowerFeatures {
        let square = self.board.tower(player, colour);
        let targets = self.lookahead.targets(player, colour);
        let slides = targets & !self.board.occupied(player);
        let side = match player == self.turn {
            true => u8::from(self.called == Some(colour)),
            false => 2,
        };
        TowerFeatures {
            values: [
                square.rank() + 8 * (self.board.teeth(player, colour) & 3),
                self.class(player, colour),
                slides.count_ones().min(15) as u8,
                (slides & FAR_ROW).count_ones().min(3) as u8 + 4 * u8::from(slides != targets),
                side,
            ],
            calls: if targets == 0 { 1 << square.colour() as u8 } else { colours_of(slides) },
        }
    }

    fn class(&self, player: Player, colour: Colour) -> u8 {
        match self.lookahead.result(player, colour) {
            CallResult::Wins(calls) => calls / 2,
            CallResult::Loses(calls) => 4 + calls / 2,
            CallResult::Open => {
                6 + self.lookahead.safe_moves(player, colour).count_ones().clamp(1, 5) as u8
            }
        }
    }

    fn slide_or_push(&self, mover: Mover, to: Square) -> MoveFeatures {
        let flag = |squares: u64| u8::from(squares & to.bit() != 0);
        let is_push = self.board.occupied(self.turn) & to.bit() != 0;
        let threatens = u8::from(self.board.slides_from(self.turn, to, mover.teeth) & FAR_ROW != 0);
        MoveFeatures {
            values: [
                if is_push { 0 } else { to.rank() - mover.from.rank() },
                to.rank(),
                threatens + 2 * flag(self.winning_lines[0]) + 4 * flag(self.winning_lines[1]),
                u8::from(mover.from.rank() == 0) + 2 * u8::from(mover.wins),
                mover.opens[0] + 4 * mover.opens[1],
            ],
            mover: mover.colour as u8,
            callee: if is_push { PUSH } else { to.colour() as u8 },
        }
    }
}

/// Data shared by the moves of a tower.
#[derive(Clone, Copy)]
struct Mover {
    colour: Colour,
    from: Square,
    teeth: u8,
    wins: bool,
    /// Numbers of own and of enemy towers for which it opens a line to the far row, each at most 3.
    opens: [u8; 2],
}

impl Mover {
    /// Data of the tower of the player to move on this square.
    fn new(extractor: &Extractor<'_>, from: Square) -> Mover {
        let Extractor { board, turn, .. } = *extractor;
        let colour = board.tower_at(turn, from).unwrap_or(Colour::Brown);
        let opens = [(turn, from), (!turn, from.half_turn())].map(|(player, left)| {
            let rest = board.occupied(player) & !left.bit();
            let opens = |&other: &Colour| {
                (player, other) != (turn, colour)
                    && extractor.lookahead.result(player, other) != CallResult::Wins(0)
                    && board.reaches_far_row(player, other, rest)
            };
            Colour::ALL.into_iter().filter(opens).count().min(3) as u8
        });
        let wins = extractor.lookahead.result(turn, colour) == CallResult::Wins(0);
        Mover { colour, from, teeth: board.teeth(turn, colour), wins, opens }
    }
}

/// Colours of these squares, as bits.
fn colours_of(squares: u64) -> u8 {
    (0..8).fold(0, |colours, colour| {
        colours | u8::from(squares & squares_of(1 << colour) != 0) << colour
    })
}

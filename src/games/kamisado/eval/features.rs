//! What the net is told of a position: each tower and each move as a few numbers, and which towers call which.

use arrayvec::ArrayVec;

use super::lookahead::{CallResult, Lookahead};
use crate::game::{Game, MAX_MOVES, Player};
use crate::games::kamisado::board::{Board, Colour, FAR_ROW, Square, squares_of};
use crate::games::kamisado::rules::{Match, Move, Stage};

/// So many different values each of the numbers of a tower has.
pub const TOWER_SIZES: [usize; 5] = [32, 12, 16, 8, 3];

/// So many different values each of the numbers of a move has.
pub const MOVE_SIZES: [usize; 5] = [8, 8, 8, 4, 16];

/// In place of the called enemy: the push after which its maker moves again.
pub const PUSH: u8 = 8;

/// In place of the tower that moves: a pass.
pub const PASS: u8 = 8;

/// A tower as the net sees it.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct TowerFeatures {
    /// How far ahead it stands, plus 8 times its teeth; what calling it leads to, by the outlook of all towers: it wins after 0, 2, 4 or 6 more calls,
    /// loses after 1, 3 or 5, or is open with 1 to 5 or more safe moves; the squares that it can slide to, at most 15; those of them in the
    /// far row, at most 3, plus 4 if it can push; 0, 1 or 2 for one of the player to move, the called one, and the enemy's.
    pub values: [u8; 5],
    /// The enemy's towers that it can call, as bits by colour: by a slide, or, where it is blocked, by the square that it stands on.
    pub calls: u8,
}

/// A move as the net sees it.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct MoveFeatures {
    /// How far it goes, 0 for pushes and passes; the rank that it reaches; 1 if the tower threatens to go on to the far row, plus 2 and 4 if it
    /// enters a line through which an own tower, an enemy's tower reaches it; 1 from the home row, plus 2 for a tower that could win at once;
    /// for how many own towers, at most 3, it opens a line to the far row, plus 4 times for how many of the enemy's.
    pub values: [u8; 5],
    /// The colour of the tower that moves, or [`PASS`].
    pub mover: u8,
    /// The colour of the enemy's tower that it calls, or [`PUSH`].
    pub callee: u8,
}

/// A position as the player to move sees it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Features {
    /// Those of the player to move and the enemy's, by colour.
    pub towers: [[TowerFeatures; 8]; 2],
    /// The colour of the called tower; `None` where any may move.
    pub called: Option<u8>,
    /// The moves that were asked about.
    pub moves: ArrayVec<MoveFeatures, MAX_MOVES>,
}

impl Features {
    /// A position and some of its legal moves; `None` where no round is in play.
    pub fn new(position: &Match, moves: &[Move]) -> Option<Features> {
        (position.stage == Stage::Playing).then(|| Extractor::new(position).view(moves))
    }
}

/// What view a position gives is asked of this.
struct Extractor<'a> {
    board: &'a Board,
    turn: Player,
    called: Option<Colour>,
    lookahead: Lookahead,
    /// The squares, as the player to move sees them, through which a tower of theirs, and one of the enemy's, reaches the far row.
    winning_lines: [u64; 2],
}

impl<'a> Extractor<'a> {
    fn new(position: &'a Match) -> Self {
        let (board, turn) = (&position.round.board, position.turn());
        let lookahead = Lookahead::new(board);
        let lines = |player: Player| {
            let winning =
                |colour: &Colour| lookahead.verdict(player, *colour) == CallResult::Wins(0);
            Colour::ALL
                .into_iter()
                .filter(winning)
                .fold(0, |lines, colour| lines | lookahead.targets(player, colour))
        };
        let winning_lines = [lines(turn), lines(!turn).reverse_bits()];
        Extractor { board, turn, called: position.called(), lookahead, winning_lines }
    }

    fn view(&self, moves: &[Move]) -> Features {
        let towers = [self.turn, !self.turn]
            .map(|player| Colour::ALL.map(|colour| self.tower(player, colour)));
        let mut view = Features {
            towers,
            called: self.called.map(|called| called as u8),
            moves: ArrayVec::new(),
        };
        let mut mover = None;
        for &mv in moves {
            let Move::Tower { from, to } = mv else {
                let blocked = self.called.map(|called| self.board.tower(self.turn, called));
                let callee = blocked.map_or(PUSH, |square| square.colour() as u8);
                view.moves.push(MoveFeatures { mover: PASS, callee, ..MoveFeatures::default() });
                continue;
            };
            let from = from.seen_by(self.turn);
            // The moves of a tower follow each other.
            let mover = match mover {
                Some(mover @ Mover { from: last, .. }) if last == from => mover,
                _ => *mover.insert(Mover::new(self, from)),
            };
            view.moves.push(self.slide_or_push(mover, to.seen_by(self.turn)));
        }
        view
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
        match self.lookahead.verdict(player, colour) {
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

/// What all moves of a tower have in common.
#[derive(Clone, Copy)]
struct Mover {
    colour: Colour,
    from: Square,
    teeth: u8,
    wins: bool,
    /// For how many own towers, and for how many of the enemy's, it opens a line to the far row, at most 3.
    opens: [u8; 2],
}

impl Mover {
    /// The tower of the player to move that stands here.
    fn new(sight: &Extractor<'_>, from: Square) -> Mover {
        let Extractor { board, turn, .. } = *sight;
        let colour = board.tower_at(turn, from).unwrap_or(Colour::Brown);
        let opens = [(turn, from), (!turn, from.half_turn())].map(|(player, left)| {
            let rest = board.occupied(player) & !left.bit();
            let opens = |&other: &Colour| {
                (player, other) != (turn, colour)
                    && sight.lookahead.verdict(player, other) != CallResult::Wins(0)
                    && board.reaches_far_row(player, other, rest)
            };
            Colour::ALL.into_iter().filter(opens).count().min(3) as u8
        });
        let wins = sight.lookahead.verdict(turn, colour) == CallResult::Wins(0);
        Mover { colour, from, teeth: board.teeth(turn, colour), wins, opens }
    }
}

/// The colours of these squares, as bits.
fn colours_of(squares: u64) -> u8 {
    (0..8).fold(0, |colours, colour| {
        colours | u8::from(squares & squares_of(1 << colour) != 0) << colour
    })
}

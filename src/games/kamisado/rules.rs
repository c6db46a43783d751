//! Rules of a match: moves, points, teeth and refills.

use rand::Rng;
use rand::seq::SliceRandom;

use super::board::Board;
use super::eval::initial_number_weights::INITIAL_NUMBERS;
use super::eval::initial_numbers::{Baseline, UNIT, Weights};
use super::layout::Layout;
use super::refill::{Side, home_rows, refilled};
use super::round::{RoundPosition, Step};
use super::square::{Colour, FAR_ROW, Square};
use crate::game::{Game, InitialNumbers, MoveList, Outcome, Player, Round, RoundStage, mix};

/// Length of a match: the points that win it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Target {
    /// 1 point: a single round.
    Simple,
    /// 3 points.
    Standard,
    /// 7 points.
    Long,
    /// 15 points.
    Marathon,
}

impl Target {
    /// All targets, shortest match first.
    pub const ALL: [Target; 4] = [Target::Simple, Target::Standard, Target::Long, Target::Marathon];

    /// 1, 3, 7 or 15.
    pub const fn points(self) -> u8 {
        match self {
            Target::Simple => 1,
            Target::Standard => 3,
            Target::Long => 7,
            Target::Marathon => 15,
        }
    }
}

/// A ply of a Kamisado match.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Move {
    /// A tower moves. A move onto the occupied square directly ahead is an oshi.
    Tower {
        /// Square of the tower.
        from: Square,
        /// Its target.
        to: Square,
    },
    /// The zero-length move of a blocked tower (D6).
    Pass,
    /// The winner of a round chooses the side of the refill (P1).
    Refill(Side),
}

/// Stage of a match.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Stage {
    Playing,
    /// The player to move has won the round and must choose the refill.
    Refill,
    /// The match is over. The loser is to move.
    Over,
}

/// A position of a match: round in play, points and target.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Match {
    pub(super) round: RoundPosition,
    pub(super) stage: Stage,
    pub(super) points: [u8; 2],
    pub(super) target: Target,
    /// Ranks with which Black and White win the round, as bits by teeth. All ranks, except in the
    /// contest of a payoff: there, a tower of another rank that reaches the far row loses.
    pub(super) counting: [u8; 2],
    pub(super) layout: Layout,
}

/// All ranks, as bits by teeth.
pub(super) const ANY_RANK: u8 = 0b1111;

const _: () = assert!(size_of::<Match>() <= 80 && size_of::<Move>() == 3);

impl Match {
    /// The start of a match to this target.
    ///
    /// ```
    /// use oshi::game::Game;
    /// use oshi::games::kamisado::{Match, Target};
    /// use oshi::perft::perft;
    ///
    /// assert_eq!(perft(&Match::start(Target::Simple), 2), 1_150);
    /// ```
    pub fn start(target: Target) -> Match {
        Match::with_arrangement([Colour::ALL; 2], target)
    }

    /// A match with these home rows in its first round, each from the player's left to right.
    fn with_arrangement(arrangement: [[Colour; 8]; 2], target: Target) -> Match {
        let board = Board::new(home_rows(arrangement), [[0; 8]; 2]);
        Match {
            round: RoundPosition::opening(board, Player::Black),
            stage: Stage::Playing,
            points: [0; 2],
            target,
            counting: [ANY_RANK; 2],
            layout: Layout::default(),
        }
    }

    /// The match on a board with another layout. Only its text and pictures change.
    pub const fn with_layout(self, layout: Layout) -> Match {
        Match { layout, ..self }
    }

    /// Board layout of text and pictures.
    pub const fn layout(&self) -> Layout {
        self.layout
    }

    /// Points of Black and White.
    pub const fn points(&self) -> [u8; 2] {
        self.points
    }

    /// The points that win.
    pub const fn target(&self) -> Target {
        self.target
    }

    /// Colour of the called tower. `None` if the choice is free, a refill is due or the match is
    /// over.
    pub fn called(&self) -> Option<Colour> {
        self.round.called.filter(|_| self.stage == Stage::Playing)
    }

    /// Whether the player to move has won a round and must choose the refill.
    pub fn refill_due(&self) -> bool {
        self.stage == Stage::Refill
    }

    /// Whether the player to move opens a round, and so may move any tower.
    pub fn is_free_choice(&self) -> bool {
        self.stage == Stage::Playing && self.round.called.is_none()
    }

    /// Square of this player's tower of this colour.
    pub fn tower(&self, player: Player, colour: Colour) -> Square {
        self.round.board.tower(player, colour).seen_by(player)
    }

    /// Teeth of this player's tower of this colour: 0 to 3, or 4 if it has ended the match.
    pub fn teeth(&self, player: Player, colour: Colour) -> u8 {
        self.round.board.teeth(player, colour)
    }

    /// Numbers of this player's towers with 0, 1, 2, and at least 3 teeth.
    pub fn ranks(&self, player: Player) -> [u8; 4] {
        let mut ranks = [0; 4];
        for colour in Colour::ALL {
            ranks[usize::from(self.teeth(player, colour).min(3))] += 1;
        }
        ranks
    }

    /// Owner and colour of the tower on a square, if any.
    pub fn tower_at(&self, square: Square) -> Option<(Player, Colour)> {
        Player::ALL.into_iter().find_map(|player| {
            Some((player, self.round.board.tower_at(player, square.seen_by(player))?))
        })
    }

    /// Whether this player wins the match when this tower takes a tooth.
    fn wins_match(&self, player: Player, colour: Colour) -> bool {
        let teeth = self.teeth(player, colour);
        self.counts(player, colour)
            && (teeth >= 3 || self.points[player.index()] + (1 << teeth) >= self.target.points())
    }

    /// Whether this player wins the round with this tower; see `counting`.
    fn counts(&self, player: Player, colour: Colour) -> bool {
        self.counting[player.index()] >> self.teeth(player, colour).min(3) & 1 == 1
    }

    /// Whether the ended round was won on the far row, not by a deadlock.
    pub(super) fn has_arrived(&self, winner: Player) -> bool {
        Colour::ALL.into_iter().any(|colour| self.round.board.tower(winner, colour).rank() == 7)
    }

    /// Moves of a tower of the player to move to the targets in a bitboard.
    fn tower_moves(&self, colour: Colour, targets: u64) -> impl Iterator<Item = Move> + use<> {
        let player = self.round.turn;
        let from = self.round.board.tower(player, colour).seen_by(player);
        Square::in_bitboard(targets).map(move |to| Move::Tower { from, to: to.seen_by(player) })
    }

    /// The called tower, if it is not blocked, and a bitboard of its safe targets: it neither loses
    /// the match there nor calls a tower that then wins it on the far row.
    fn safe_targets(&self) -> Option<(Colour, u64)> {
        let called = self.called().filter(|_| !self.round.must_pass())?;
        let (player, board) = (self.round.turn, &self.round.board);
        let arrivals = if self.counts(player, called) { FAR_ROW } else { 0 };
        let targets = self.round.targets(called) & (!FAR_ROW | arrivals);
        // Moves to the far row end the round and call no tower.
        let slides = targets & !FAR_ROW & !board.occupied(player);
        let losing = board.losing_slides(
            !player,
            board.tower(player, called),
            slides,
            self.deciding(!player),
        );
        Some((called, targets & !losing))
    }

    /// [`Game::initial_numbers`] with other weights.
    pub fn initial_numbers_by<'w>(
        &self,
        weights: &'w Weights,
    ) -> impl Fn(&Match) -> InitialNumbers + use<'w> {
        let player = self.round.turn;
        let called = self.round.called;
        let baseline = Baseline::new(
            &self.round.board,
            player,
            Player::ALL.map(|player| self.deciding(player)),
            weights,
        );
        move |next| match next.safe_targets() {
            // After an oshi the same player moves again, so the estimate does not apply.
            Some((_, targets)) if next.round.turn != player => {
                baseline.initial_numbers(&next.round.board, called, targets)
            }
            _ => {
                let InitialNumbers { proof, disproof } = InitialNumbers::by_safe_moves(next);
                InitialNumbers { proof: UNIT * proof, disproof: UNIT * disproof }
            }
        }
    }

    /// Colours of this player's towers that win the match with one more tooth, as bits.
    #[inline]
    fn deciding(&self, player: Player) -> u8 {
        if self.counting[player.index()] == ANY_RANK
            && self.points[player.index()] + 1 >= self.target.points()
        {
            return u8::MAX;
        }
        Colour::ALL
            .into_iter()
            .filter(|&colour| self.wins_match(player, colour))
            .fold(0, |colours, colour| colours | 1 << colour.index())
    }

    /// Stage, turn, points and target in the lower 32 bits, and the ranks that do not count in bits
    /// 40 to 47.
    fn stage_and_score(&self) -> u64 {
        let stage = self.stage as u64 + 4 * self.round.turn.index() as u64;
        let [black, white] = self.counting.map(|ranks| u64::from(ranks ^ ANY_RANK));
        (black | white << 4) << 40
            | u64::from(self.target.points()) << 24
            | u64::from(self.points[1]) << 16
            | u64::from(self.points[0]) << 8
            | stage
    }

    /// A winning move by deadlock. A deadlock loses the round, but wins a contest if the tower that
    /// takes the tooth does not count.
    fn winning_deadlock(&self) -> Option<Move> {
        let player = self.round.turn;
        let wins = |&mv: &Move| {
            let mut next = *self;
            next.play(mv);
            next.outcome() == Some(Outcome::Win(player))
        };
        if self.counting[(!player).index()] == ANY_RANK {
            None
        } else {
            self.legal_moves().into_iter().find(wins)
        }
    }

    /// Gives the tower a tooth and its owner 1, 2, 4 or 8 points.
    fn win_round(&mut self, winner: Player, tower: Colour) {
        let loser = if self.counts(winner, tower) { !winner } else { winner };
        let teeth = self.round.board.add_tooth(winner, tower);
        let points = &mut self.points[winner.index()];
        *points += 1 << (teeth - 1);
        if teeth == 4 {
            // A fourth tooth ends every match, even if a handicap leaves too few points.
            *points = (*points).max(self.target.points());
        }
        let over = *points >= self.target.points();
        self.stage = if over { Stage::Over } else { Stage::Refill };
        // No tower is called before the refill. After the match it is the loser's turn.
        self.round = RoundPosition::opening(self.round.board, if over { loser } else { winner });
    }

    /// Sets up the next round (P1–P4). The loser of the last one opens it.
    fn refill(&mut self, side: Side) {
        self.round = RoundPosition::opening(refilled(&self.round.board, side), !self.round.turn);
        self.stage = Stage::Playing;
    }
}

impl Game for Match {
    type Move = Move;

    fn turn(&self) -> Player {
        self.round.turn
    }

    fn outcome(&self) -> Option<Outcome> {
        (self.stage == Stage::Over).then_some(Outcome::Win(!self.round.turn))
    }

    fn legal_moves(&self) -> MoveList<Move> {
        match self.stage {
            Stage::Over => MoveList::new(),
            Stage::Refill => Side::ALL.into_iter().map(Move::Refill).collect(),
            Stage::Playing if self.round.must_pass() => std::iter::once(Move::Pass).collect(),
            Stage::Playing => {
                let moves = self
                    .round
                    .callable()
                    .flat_map(|colour| self.tower_moves(colour, self.round.targets(colour)));
                moves.collect()
            }
        }
    }

    fn count_legal_moves(&self) -> usize {
        match self.stage {
            Stage::Over => 0,
            Stage::Refill => Side::ALL.len(),
            Stage::Playing => self.round.count_moves(),
        }
    }

    fn play(&mut self, mv: Move) {
        match mv {
            Move::Tower { from, to } => {
                let player = self.round.turn;
                let tower = self
                    .round
                    .called
                    .or_else(|| self.round.board.tower_at(player, from.seen_by(player)));
                let step = tower.map(|tower| self.round.step(tower, to.seen_by(player)));
                if let Some(Step::Won { winner, tower }) = step {
                    self.win_round(winner, tower);
                }
            }
            Move::Pass => self.round.pass(),
            Move::Refill(side) => self.refill(side),
        }
    }

    /// Looks only at the far row, since a deadlock loses, except in the contest of a payoff.
    fn winning_move(&self) -> Option<Move> {
        if self.stage != Stage::Playing {
            return None;
        }
        if self.round.called.is_some_and(|called| self.round.targets(called) & FAR_ROW == 0) {
            return self.winning_deadlock();
        }
        let arrival =
            |colour| self.tower_moves(colour, self.round.targets(colour) & FAR_ROW).next();
        let wins = |colour: &Colour| {
            self.round.targets(*colour) & FAR_ROW != 0 && self.wins_match(self.round.turn, *colour)
        };
        self.round.callable().find(wins).and_then(arrival).or_else(|| self.winning_deadlock())
    }

    /// Leaves out moves that call a tower which then wins. Does not analyse oshi
    /// pushes and passes.
    fn safe_moves(&self) -> MoveList<Move> {
        match self.safe_targets() {
            Some((called, targets)) => self.tower_moves(called, targets).collect(),
            None => self.legal_moves(),
        }
    }

    fn count_safe_moves(&self) -> usize {
        self.safe_targets()
            .map_or_else(|| self.count_legal_moves(), |(_, targets)| targets.count_ones() as usize)
    }

    fn initial_numbers(&self) -> impl Fn(&Match) -> InitialNumbers {
        self.initial_numbers_by(&INITIAL_NUMBERS)
    }

    fn hash(&self) -> u64 {
        let [own, _] = self.round.board.hashes();
        own ^ mix(1 << 36
            | self.stage_and_score() << 4
            | self.round.called.map_or(8, |called| called.index() as u64))
    }

    /// Equal for a position and its mirror image: files reversed and colours exchanged in pairs.
    fn proof_key(&self) -> u64 {
        let called = self.round.called.map_or([8; 2], |called| {
            [called, called.mirrored()].map(|colour| colour.index() as u64)
        });
        let [own, mirrored] = self.round.board.hashes();
        // The minimum is biased towards small numbers; mixing makes all bits random again.
        mix((own ^ called[0]).min(mirrored ^ called[1]) ^ self.stage_and_score() << 4)
    }

    fn random_start<R: Rng>(&self, rng: &mut R) -> Match {
        let arrangement = [(); 2].map(|()| {
            let mut row = Colour::ALL;
            row.shuffle(rng);
            row
        });
        Match::with_arrangement(arrangement, self.target).with_layout(self.layout)
    }

    fn round(&self) -> Round<Match> {
        let stage = match (self.stage, self.round.called) {
            (Stage::Refill, _) => RoundStage::Between,
            (Stage::Playing, None) => RoundStage::Opening,
            _ => RoundStage::Underway,
        };
        let is_over = self.stage == Stage::Over;
        let decides_for = self.points.map(|points| is_over || points + 1 >= self.target.points());
        // If any win of the round wins the match, the position is already the contest.
        let contest = if decides_for == [true; 2] {
            *self
        } else {
            Match { points: [0; 2], target: Target::Simple, ..*self }
        };
        Round::of_match(contest, decides_for, stage)
    }
}

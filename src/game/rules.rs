//! The rules of a game.

use std::fmt::Debug;
use std::hash::Hash;

use arrayvec::ArrayVec;
use rand::Rng;

use super::player::{Outcome, Player};
use super::round::{Round, RoundStage};

/// No position of any game has more legal moves.
pub const MAX_MOVES: usize = 128;

/// The legal moves of a position.
pub type MoveList<M> = ArrayVec<M, MAX_MOVES>;

/// How much it seems to take to find out who wins a position: so many positions at least have to be decided for each result (proof
/// numbers, Allis 1994). A game may count in parts of a position, the same in all of its efforts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct InitialNumbers {
    /// For a win of the player to move; at least 1.
    pub proof: u32,
    /// For anything else: each safe move has to be refuted. 0 where there is none.
    pub disproof: u32,
}

impl InitialNumbers {
    /// The more safe moves, the harder to win against (Breuker 1998).
    pub fn by_safe_moves<G: Game>(position: &G) -> InitialNumbers {
        InitialNumbers { proof: 1, disproof: position.count_safe_moves() as u32 }
    }
}

/// A position of a game, with the rules that lead on from it.
///
/// A game is a small `Copy` position with exact rules. Turns need not alternate (an oshi gives its player a second move, the winner of a
/// round chooses the refill before the loser opens the next), so nobody may guess whose turn it is: ask [`Game::turn`].
///
/// The contract, tested for every game by one suite:
/// - [`legal_moves`](Game::legal_moves) is empty exactly when [`outcome`](Game::outcome) is known, without duplicates, and in an
///   order that depends on the position alone;
/// - every line of legal moves ends, so that no position comes back;
/// - equal positions have equal [`hash`](Game::hash)es, and positions with equal hashes have the same legal moves in the same order, the
///   same turn and outcome, and lead to equal hashes again: a proof of the one is a proof of the other. (Two unlike positions share a
///   hash by chance once in 2⁶⁴ pairs; the search takes that for never.)
/// - positions with equal hashes have equal [`proof_key`](Game::proof_key)s, and positions with equal proof keys are won by the same player
///   in as many moves;
/// - what the games see at a glance ([`winning_move`](Game::winning_move), [`safe_moves`](Game::safe_moves), [`static_loss`](Game::static_loss), the classes of
///   [`MoveClass`](super::MoveClass)) is so: proofs begin with it;
/// - the [`contest`](Round::contest) of a [`round`](Game::round) that goes on has the round's legal moves; who wins it wins the round, and
///   with it the game where [`decides_for`](Round::decides_for) says so. It is a contest of one round, and so its own round.
pub trait Game: Copy + Eq + Debug + Send + Sync + 'static {
    /// A move.
    type Move: Copy + Eq + Ord + Hash + Debug + Send + Sync + 'static;

    /// Whether a game may end without a winner. Proof-number search, which knows two results, is of use where it may not.
    const HAS_DRAWS: bool = false;

    /// Whose turn it is. Where the game is over, some fixed player of the game's choice.
    fn turn(&self) -> Player;

    /// The result, if the game is over.
    fn outcome(&self) -> Option<Outcome>;

    /// All legal moves; none where the game is over.
    fn legal_moves(&self) -> MoveList<Self::Move>;

    /// Plays a legal move. What an illegal one leads to is unspecified (but never undefined): parse and match first.
    fn play(&mut self, mv: Self::Move);

    /// A 64-bit hash of all that the rules can see, kept up to date by [`play`](Game::play).
    fn hash(&self) -> u64;

    /// A 64-bit key of all that decides who wins and how soon: equal for positions that a symmetry of the game turns into each other, so
    /// that what is proven of the one is known of the other. Their moves differ.
    fn proof_key(&self) -> u64 {
        self.hash()
    }

    /// A start of the same game drawn at random: another arrangement of towers, another layout of tokens. Games with a single start stay
    /// where they are.
    fn random_start<R: Rng>(&self, _rng: &mut R) -> Self {
        *self
    }

    /// The round in play. Games without rounds are one.
    fn round(&self) -> Round<Self> {
        Round::whole_game(*self)
    }

    /// Whether the player to move can end the round, or has ended it, while the game goes on: what is chosen here is what the next round
    /// begins with. It follows from [`round`](Game::round), and no game overrides it.
    fn may_end_round(&self) -> bool {
        let is_between = |position: &Self| position.round().stage == RoundStage::Between;
        let can_end = |mv| {
            let mut next = *self;
            next.play(mv);
            is_between(&next)
        };
        is_between(self) || self.legal_moves().into_iter().any(can_end)
    }

    /// How many legal moves there are. Games override this where counting is cheaper than listing.
    fn count_legal_moves(&self) -> usize {
        self.legal_moves().len()
    }

    /// A move that wins the game at once, if there is one. Games override this where it can be seen without playing the moves out.
    fn winning_move(&self) -> Option<Self::Move> {
        self.legal_moves().into_iter().find(|&mv| {
            let mut next = *self;
            next.play(mv);
            next.outcome() == Some(Outcome::Win(self.turn()))
        })
    }

    /// The legal moves that are not seen to lose the game at once or to let the opponent win it at once, in their order. All that truly do
    /// not are among them, so that none is certain. Games override this where something can be seen without playing the moves out.
    fn safe_moves(&self) -> MoveList<Self::Move> {
        self.legal_moves()
    }

    /// How many safe moves there are. Games that override the one override the other.
    fn count_safe_moves(&self) -> usize {
        self.count_legal_moves()
    }

    /// Whether the player to move is seen to lose, whatever the moves; or, where `a_draw_is_lost`, at least not to win. Then so many moves of
    /// the opponent's at most are left. Games override this where something can be seen without playing the moves out.
    fn static_loss(&self, _a_draw_is_lost: bool) -> Option<u8> {
        None
    }

    /// What tells of positions one move on, and the replies that it forces, how much their proofs seem to take. Games override this where
    /// they see more than the number of safe moves; what is the same after all moves is then looked at once. There is no effort for a loss
    /// exactly where there is no safe move.
    fn initial_numbers(&self) -> impl Fn(&Self) -> InitialNumbers {
        InitialNumbers::by_safe_moves
    }

    /// Plays a legal move that is known not to win the game, which games may do quicker.
    fn play_non_winning(&mut self, mv: Self::Move) {
        self.play(mv);
    }
}

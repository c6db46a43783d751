//! What a game is, for everything that does not care which: search, perft, protocol loop, referee.
//!
//! A game is a small `Copy` position with exact rules. Turns need not alternate (an oshi gives its player
//! a second move, the winner of a round chooses the refill before the loser opens the next), so nobody may
//! guess whose turn it is: ask [`Game::turn`].

use std::fmt::{Debug, Display};
use std::hash::Hash;
use std::ops::Not;
use std::str::FromStr;

use arrayvec::ArrayVec;
use rand::Rng;

/// One of the two players. Black is the one who opens the game.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Player {
    /// The first player.
    Black,
    /// The second player.
    White,
}

impl Player {
    /// Both players, in the order of their indices.
    pub const ALL: [Player; 2] = [Player::Black, Player::White];

    /// 0 for Black, 1 for White.
    pub const fn index(self) -> usize {
        self as usize
    }

    /// The letter of the text forms: `b` or `w`.
    pub const fn letter(self) -> char {
        match self {
            Player::Black => 'b',
            Player::White => 'w',
        }
    }

    /// The player with this letter, if it is `b` or `w`.
    pub fn from_letter(letter: &str) -> Option<Player> {
        match letter {
            "b" => Some(Player::Black),
            "w" => Some(Player::White),
            _ => None,
        }
    }
}

impl Not for Player {
    type Output = Player;

    /// The opponent.
    fn not(self) -> Player {
        match self {
            Player::Black => Player::White,
            Player::White => Player::Black,
        }
    }
}

impl Display for Player {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Player::Black => "Black",
            Player::White => "White",
        })
    }
}

/// How a game that is over ended.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Outcome {
    /// This player won.
    Win(Player),
    /// Nobody won. Kamisado knows no draws.
    Draw,
}

/// No position of any game has more legal moves.
pub const MAX_MOVES: usize = 128;

impl Outcome {
    /// The player who won, if anybody did.
    pub const fn winner(self) -> Option<Player> {
        match self {
            Outcome::Win(player) => Some(player),
            Outcome::Draw => None,
        }
    }
}

/// The end of a round, or of a whole game that has no rounds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RoundEnd {
    /// Who won it, if anybody did.
    pub winner: Option<Player>,
    /// How, in a few words: `deadlock`.
    pub how: &'static str,
    /// The points of Black and of White after it, in games that count points.
    pub points: Option<[u8; 2]>,
}

/// The legal moves of a position.
pub type MoveList<M> = ArrayVec<M, MAX_MOVES>;

/// A faulty text as a one-line message can show it: its first 40 characters, escaped where they do not print, and dots for the rest.
pub fn quote(text: &str) -> String {
    const SHOWN: usize = 40;
    let rest = if text.chars().nth(SHOWN).is_some() { "..." } else { "" };
    text.chars().take(SHOWN).flat_map(char::escape_debug).chain(rest.chars()).collect()
}

/// Why a text is no legal move here.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum MoveError {
    /// The text has not the form of a move of this game.
    #[error("`{text}` is not a move: expected {expected}")]
    Malformed {
        /// What was given, its start if it is long.
        text: String,
        /// The forms a move may have.
        expected: &'static str,
    },
    /// The move is well formed, but the rules do not allow it here.
    #[error("illegal move `{text}`: {reason}")]
    Illegal {
        /// What was given, its start if it is long.
        text: String,
        /// Which rule it breaks, and what was expected instead.
        reason: String,
    },
}

/// A move of a list that cannot be played.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("move {number} of the list: {error}")]
pub struct PlayError {
    /// Its place in the list, from 1.
    pub number: usize,
    /// What is wrong with it.
    pub error: MoveError,
}

/// A position of a game, with the rules that lead on from it.
///
/// The contract, tested for every game by one suite:
/// - [`legal_moves`](Game::legal_moves) is empty exactly when [`outcome`](Game::outcome) is known, without duplicates, and in an
///   order that depends on the position alone;
/// - every line of legal moves ends;
/// - equal positions have equal [`hash`](Game::hash)es, and positions with equal hashes are equal in all that can still happen: a proof
///   of the one is a proof of the other.
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

    /// How many legal moves there are. Games override this where counting is cheaper than listing.
    fn count_legal_moves(&self) -> usize {
        self.legal_moves().len()
    }

    /// Plays a legal move. What an illegal one leads to is unspecified (but never undefined): parse and match first.
    fn play(&mut self, mv: Self::Move);

    /// A move that wins the game at once, if there is one. Games override this where it can be seen without playing the moves out.
    fn winning_move(&self) -> Option<Self::Move> {
        self.legal_moves().into_iter().find(|&mv| {
            let mut next = *self;
            next.play(mv);
            next.outcome() == Some(Outcome::Win(self.turn()))
        })
    }

    /// Plays a legal move that is known not to win the game, which games may do quicker.
    fn play_on(&mut self, mv: Self::Move) {
        self.play(mv);
    }

    /// How many of the legal moves are not seen to let the opponent win the game at once. At least as many as truly do not, so that
    /// 0 is certain. Games override this where something can be seen without playing the moves out.
    fn safe_moves(&self) -> usize {
        self.count_legal_moves()
    }

    /// A 64-bit hash of all that the rules can see, kept up to date by [`play`](Game::play).
    fn hash(&self) -> u64;

    /// A start of the same game drawn at random: another arrangement of towers, another layout of tokens.
    fn random_start<R: Rng>(&self, rng: &mut R) -> Self;

    /// The position as a contest that only the round in play decides. Games without rounds stay as they are.
    fn round_only(&self) -> Self {
        *self
    }

    /// Whether this player wins the game if they win the round in play, however they do. In games without rounds they do.
    fn round_decides(&self, _winner: Player) -> bool {
        true
    }

    /// Whether a round begins here, with a choice so wide that a proof of who wins it says more than looking at the moves.
    fn opens_round(&self) -> bool {
        false
    }

    /// Whether the player to move can end the round or owes the refill while the game goes on: what is chosen here is what the next
    /// round begins with.
    fn closes_round(&self) -> bool {
        false
    }
}

/// A game in text: position lines (`Display` and `FromStr`, each other's inverse), moves, pictures, and how things ended.
pub trait Text: Game<Move: Display> + Display + FromStr<Err: std::error::Error + Send + Sync> {
    /// The forms a move's text may have, for error messages.
    const MOVE_FORMS: &'static str;

    /// How a game that is over ended, in a word or two for records, that fit after "by": `deadlock`. Games that end in one way only need not say.
    fn ending(&self) -> &'static str {
        "the rules"
    }

    /// The round that ended with the move from `before` to this position, if one did. Games without rounds need not say.
    fn round_end(&self, before: &Self) -> Option<RoundEnd> {
        let outcome = self.outcome().filter(|_| before.outcome().is_none())?;
        Some(RoundEnd { winner: outcome.winner(), how: self.ending(), points: None })
    }

    /// The board as a picture in text with a legend, without the legal moves and the position line; ends with a newline.
    fn picture(&self) -> String;

    /// Reads the text form of a move, without asking whether it is legal; `None` if it has not the form of one.
    fn read_move(text: &str) -> Option<Self::Move>;

    /// Why the rules do not allow this well-formed move here, and what they expect instead.
    fn why_illegal(&self, mv: Self::Move) -> String;

    /// Parses a move and matches it against the legal ones.
    ///
    /// # Errors
    /// [`MoveError`] says whether the text or the move is at fault, and what was expected.
    fn parse_move(&self, text: &str) -> Result<Self::Move, MoveError> {
        let mv = Self::read_move(text).ok_or_else(|| MoveError::Malformed { text: quote(text), expected: Self::MOVE_FORMS })?;
        if self.legal_moves().contains(&mv) {
            Ok(mv)
        } else {
            Err(MoveError::Illegal { text: quote(text), reason: self.why_illegal(mv) })
        }
    }

    /// Plays the moves with these texts one after the other: the moves, and where they lead.
    ///
    /// # Errors
    /// [`PlayError`] names the first that cannot be played.
    fn play_all(&self, texts: impl IntoIterator<Item: AsRef<str>>) -> Result<(Vec<Self::Move>, Self), PlayError> {
        let (mut moves, mut position) = (Vec::new(), *self);
        for (number, text) in (1..).zip(texts) {
            let mv = position.parse_move(text.as_ref()).map_err(|error| PlayError { number, error })?;
            position.play(mv);
            moves.push(mv);
        }
        Ok((moves, position))
    }
}

/// How far a search has come with the question who wins the round in play.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RoundProof {
    /// It has not been asked.
    None,
    /// It is open. The proof numbers (Allis 1994) of a win for Black and of one for White, each at least 1: how many positions at
    /// least have still to be decided for it.
    Open([u32; 2]),
    /// This player wins it.
    Won(Player),
}

/// What can be seen of a legal move without searching on.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Foresight {
    /// It wins the game, with the mover's own moves that it takes counted from this one: at least 1.
    Wins {
        /// How many.
        own_moves: u8,
    },
    /// The opponent wins with the next move.
    Loses,
    /// Neither is seen.
    Open {
        /// How likely it is the best move among the open ones, any finite number.
        logit: f32,
    },
}

/// What a game tells the search about a position that nothing is proven of.
pub trait Estimate: Game {
    /// How strongly the search draws visits to moves that had few, in units of the spread of chances: the more, the less the estimate
    /// is to be trusted.
    const EXPLORATION: f32 = 2.0;

    /// The chance that Black wins, draws counted half: 0 to 1. Writes for each of the legal `moves` how likely the best move is
    /// among them, as a logit (any finite number). `round` is what is known of the round in play.
    fn assess(&self, round: RoundProof, moves: &[Self::Move], logits: &mut [f32]) -> f32;

    /// The same, and adds what [`foresee`](Estimate::foresee) would say of each of the legal `moves`, by games that see it on the way;
    /// others add nothing.
    fn assess_and_foresee(
        &self,
        round: RoundProof,
        moves: &[Self::Move],
        logits: &mut [f32],
        _foresights: &mut ArrayVec<Foresight, MAX_MOVES>,
    ) -> f32 {
        self.assess(round, moves, logits)
    }

    /// Adds what is seen of each of the legal `moves`, in their order; it may end with the first that wins. For exact search, which
    /// asks this at every position: games override it where more can be seen, or sooner.
    fn foresee(&self, moves: &[Self::Move], foresights: &mut ArrayVec<Foresight, MAX_MOVES>) {
        foresights.extend(moves.iter().map(|&mv| {
            let mut next = *self;
            next.play(mv);
            let player_wins = next.outcome() == Some(Outcome::Win(self.turn()));
            match next.winning_move() {
                _ if player_wins => Foresight::Wins { own_moves: 1 },
                Some(_) if next.turn() != self.turn() => Foresight::Loses,
                _ => Foresight::Open { logit: -(next.count_legal_moves() as f32) },
            }
        }));
    }

    /// How many positions exact search may look at from here, where so few are likely to be enough to find the result; 0 where not.
    fn exact_budget(&self) -> u64 {
        0
    }

    /// The chance that Black wins, draws counted half: 0 to 1.
    fn chance(&self) -> f32 {
        let moves = self.legal_moves();
        self.assess(RoundProof::None, &moves, &mut [0.0; MAX_MOVES][..moves.len()])
    }
}

/// Spreads a number over 64 bits (SplitMix64, Steele, Lea and Flood 2014), for the keys of hashes and whatever else must look drawn at random.
pub(crate) const fn mix(number: u64) -> u64 {
    let mut z = number.wrapping_mul(0x9E37_79B9_7F4A_7C15);
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}

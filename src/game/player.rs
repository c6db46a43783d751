//! The two players and the outcome of a game.

use std::fmt::Display;
use std::ops::Not;

/// One of the two players. Black moves first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Player {
    /// The first player.
    Black,
    /// The second player.
    White,
}

impl Player {
    /// Both players, by [`index`](Player::index).
    pub const ALL: [Player; 2] = [Player::Black, Player::White];

    /// 0 for Black, 1 for White.
    pub const fn index(self) -> usize {
        self as usize
    }

    /// Converts a win probability, 0 to 1, from Black's to this player's, or back.
    ///
    /// ```
    /// use oshi::game::Player;
    ///
    /// assert_eq!(Player::Black.relative(0.75), 0.75);
    /// assert_eq!(Player::White.relative(0.75), 0.25);
    /// ```
    pub const fn relative(self, win_probability: f32) -> f32 {
        match self {
            Player::Black => win_probability,
            Player::White => 1.0 - win_probability,
        }
    }

    /// The letter in position lines: `b` or `w`.
    pub const fn letter(self) -> char {
        match self {
            Player::Black => 'b',
            Player::White => 'w',
        }
    }

    /// The player with the letter `b` or `w`.
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

/// The result of a finished game.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Outcome {
    /// This player won.
    Win(Player),
    /// Neither player won.
    Draw,
}

impl Outcome {
    /// The winner, unless the game is drawn.
    pub const fn winner(self) -> Option<Player> {
        match self {
            Outcome::Win(player) => Some(player),
            Outcome::Draw => None,
        }
    }
}

//! The two players, and how a game between them ends.

use std::fmt::Display;
use std::ops::Not;

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

    /// This player's chance where Black's is this, and back.
    pub const fn relative(self, black_chance: f32) -> f32 {
        match self {
            Player::Black => black_chance,
            Player::White => 1.0 - black_chance,
        }
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
    /// Nobody won.
    Draw,
}

impl Outcome {
    /// The player who won, if anybody did.
    pub const fn winner(self) -> Option<Player> {
        match self {
            Outcome::Win(player) => Some(player),
            Outcome::Draw => None,
        }
    }
}

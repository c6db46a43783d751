//! Position lines, in the colours of any board layout.

use std::fmt::{self, Write as _};
use std::str::FromStr;

use super::board::Board;
use super::layout::Layout;
use super::round::RoundPosition;
use super::rules::{ANY_RANK, Match, Stage, Target};
use super::square::{Colour, Square};
use crate::game::{Game, Player, quote};

/// Error in a position line.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum PositionError {
    /// Wrong number of fields.
    #[error(
        "{0} fields, expected towers, side to move, called colour, points, target and at most a \
         layout"
    )]
    Fields(usize),
    /// Wrong number of ranks.
    #[error("{0} ranks, expected 8 with `/` between them")]
    Ranks(usize),
    /// Wrong number of squares in a rank.
    #[error("rank {rank} has {found} squares, expected 8")]
    RankLength {
        /// 1 to 8.
        rank: u8,
        /// Number of squares in the text.
        found: u32,
    },
    /// Unknown character.
    #[error(
        "rank {rank} has the character `{found}`, expected one of bgrypvlo, BGRYPVLO, \
         a digit 1 to 8, or `+` before a tower"
    )]
    Character {
        /// 1 to 8.
        rank: u8,
        /// The character, escaped if unprintable.
        found: String,
    },
    /// Two towers of one colour on one side.
    #[error("{player} has two {colour} towers, expected one of each colour")]
    TwoTowers {
        /// The side.
        player: Player,
        /// Name of the colour.
        colour: &'static str,
    },
    /// Missing tower of one side.
    #[error("{player} has no {colour} tower, expected one of each colour")]
    NoTower {
        /// The side.
        player: Player,
        /// Name of the colour.
        colour: &'static str,
    },
    /// Too many teeth.
    #[error("{player}'s {colour} tower has {teeth} teeth, expected at most {most}")]
    Teeth {
        /// The side.
        player: Player,
        /// Name of the colour.
        colour: &'static str,
        /// Number of teeth.
        teeth: u8,
        /// Maximum: 3, or 4 if the match is over.
        most: u8,
    },
    /// Invalid side to move.
    #[error("side to move `{0}`, expected `b` or `w`")]
    Turn(String),
    /// Invalid called colour.
    #[error("called colour `{0}`, expected one of bgrypvlo, `-` or `refill`")]
    Called(String),
    /// Invalid points.
    #[error("points `{0}`, expected Black's and White's such as `2-1`, each 0 to 99")]
    Points(String),
    /// Invalid target.
    #[error("target `{0}`, expected 1, 3, 7 or 15")]
    Target(String),
    /// Invalid layout.
    #[error("layout `{0}`, expected standard, mirrored, turned or turned-mirrored")]
    Layout(String),
    /// Both sides have the points that win.
    #[error("both sides have the {0} points that win, expected at most one")]
    BothWon(u8),
    /// The match is over, but a tower is called or the winner is to move.
    #[error(
        "{winner} has won the match, expected `-` as the called colour and {} to move",
        !*winner
    )]
    Over {
        /// The winner.
        winner: Player,
    },
    /// The round has ended by deadlock.
    #[error("no tower can ever move: the round has ended by deadlock")]
    Deadlock,
}

impl FromStr for Match {
    type Err = PositionError;

    fn from_str(text: &str) -> Result<Match, PositionError> {
        let fields: Vec<&str> = text.split_whitespace().collect();
        let (&[towers, turn, called, points, target], layout) = (match fields.split_at_checked(5) {
            Some((five, [])) => (five, Layout::default()),
            Some((five, [layout])) => {
                (five, Layout::of_name(layout).ok_or_else(|| PositionError::Layout(quote(layout)))?)
            }
            _ => return Err(PositionError::Fields(fields.len())),
        }) else {
            return Err(PositionError::Fields(fields.len()));
        };

        let target = Target::ALL
            .into_iter()
            .find(|candidate| candidate.points().to_string() == target)
            .ok_or_else(|| PositionError::Target(quote(target)))?;
        let turn = Player::from_letter(turn).ok_or_else(|| PositionError::Turn(quote(turn)))?;
        let points = read_points(points).ok_or_else(|| PositionError::Points(quote(points)))?;
        let winner = match points.map(|points| points >= target.points()) {
            [true, true] => return Err(PositionError::BothWon(target.points())),
            [true, false] => Some(Player::Black),
            [false, true] => Some(Player::White),
            [false, false] => None,
        };
        let board = read_board(towers, layout, if winner.is_some() { 4 } else { 3 })?;

        let (round, stage) = match (winner, called) {
            (Some(winner), "-") if turn != winner => {
                (RoundPosition::opening(board, turn), Stage::Over)
            }
            (Some(winner), _) => return Err(PositionError::Over { winner }),
            (None, "refill") => (RoundPosition::opening(board, turn), Stage::Refill),
            (None, _) => {
                let called = read_called(called, layout)
                    .ok_or_else(|| PositionError::Called(quote(called)))?;
                (
                    RoundPosition::new(board, turn, called).map_err(|_| PositionError::Deadlock)?,
                    Stage::Playing,
                )
            }
        };
        Ok(Match { round, stage, points, target, counting: [ANY_RANK; 2], layout })
    }
}

fn read_points(text: &str) -> Option<[u8; 2]> {
    let (black, white) = text.split_once('-')?;
    let read = |digits: &str| {
        let plain =
            (1..=2).contains(&digits.len()) && digits.bytes().all(|byte| byte.is_ascii_digit());
        plain.then(|| digits.parse().ok()).flatten()
    };
    Some([read(black)?, read(white)?])
}

/// Reads the called colour. `Some(None)` is the free choice.
fn read_called(text: &str, layout: Layout) -> Option<Option<Colour>> {
    let mut letters = text.chars();
    match (letters.next()?, letters.next()) {
        ('-', None) => Some(None),
        (letter, None) => Some(Some(layout.rename(Colour::from_letter(letter)?))),
        _ => None,
    }
}

fn read_board(text: &str, layout: Layout, most_teeth: u8) -> Result<Board, PositionError> {
    let ranks: Vec<&str> = text.split('/').collect();
    if ranks.len() != 8 {
        return Err(PositionError::Ranks(ranks.len()));
    }
    let mut towers = [[None; 8]; 2];
    let mut teeth = [[0u8; 8]; 2];
    for (rank, text) in (0..8u8).rev().zip(ranks) {
        let character = |found: char| PositionError::Character {
            rank: rank + 1,
            found: found.escape_debug().to_string(),
        };
        let mut files = 0u32;
        let mut pending_teeth = 0u8;
        for letter in text.chars() {
            if letter == '+' {
                pending_teeth = pending_teeth.saturating_add(1);
                continue;
            }
            if let Some(free) =
                letter.to_digit(10).filter(|free| (1..=8).contains(free) && pending_teeth == 0)
            {
                files += free;
                continue;
            }
            let player = if letter.is_ascii_uppercase() { Player::White } else { Player::Black };
            let shown = Colour::from_letter(letter.to_ascii_lowercase())
                .ok_or_else(|| character(letter))?;
            let colour = layout.rename(shown);
            if files < 8 {
                let square = Square::new(files as u8, rank).seen_by(player);
                if towers[player.index()][colour.index()].replace(square).is_some() {
                    return Err(PositionError::TwoTowers { player, colour: shown.name() });
                }
            }
            if pending_teeth > most_teeth {
                return Err(PositionError::Teeth {
                    player,
                    colour: shown.name(),
                    teeth: pending_teeth,
                    most: most_teeth,
                });
            }
            teeth[player.index()][colour.index()] = std::mem::take(&mut pending_teeth);
            files += 1;
        }
        if pending_teeth > 0 {
            return Err(character('+'));
        }
        if files != 8 {
            return Err(PositionError::RankLength { rank: rank + 1, found: files });
        }
    }
    let mut placed = [[Square::new(0, 0); 8]; 2];
    for player in Player::ALL {
        for colour in Colour::ALL {
            let missing = PositionError::NoTower { player, colour: layout.rename(colour).name() };
            placed[player.index()][colour.index()] =
                towers[player.index()][colour.index()].ok_or(missing)?;
        }
    }
    Ok(Board::new(placed, teeth))
}

impl fmt::Display for Match {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for rank in (0..8).rev() {
            let mut free = 0;
            for file in 0..8 {
                let Some((player, colour)) = self.tower_at(Square::new(file, rank)) else {
                    free += 1;
                    continue;
                };
                if free > 0 {
                    write!(f, "{free}")?;
                    free = 0;
                }
                f.write_str(&tower_text(self, player, colour))?;
            }
            if free > 0 {
                write!(f, "{free}")?;
            }
            if rank > 0 {
                f.write_char('/')?;
            }
        }
        write!(f, " {} ", self.turn().letter())?;
        match self.called() {
            Some(colour) => f.write_char(self.layout.rename(colour).letter())?,
            None if self.refill_due() => f.write_str("refill")?,
            None => f.write_char('-')?,
        }
        let [black, white] = self.points;
        write!(f, " {black}-{white} {}", self.target.points())?;
        match self.layout {
            Layout::Standard => Ok(()),
            layout => write!(f, " {}", layout.name()),
        }
    }
}

/// The tower's letter after a `+` for each tooth.
pub(super) fn tower_text(position: &Match, player: Player, colour: Colour) -> String {
    let letter = position.layout.rename(colour).letter();
    let letter = if player == Player::White { letter.to_ascii_uppercase() } else { letter };
    let mut text = "+".repeat(usize::from(position.teeth(player, colour)));
    text.push(letter);
    text
}

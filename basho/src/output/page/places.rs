//! Where on the board rounds were won, and by which piece, and where moves went.

use std::collections::BTreeMap;

use serde::{Serialize, Serializer};

use oshi::draw::Scene;
use oshi::game::Player;

/// What happened on a place.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Event {
    /// A move of a player, not of the opening, went there.
    Move,
    /// A piece there won a round: a tower took its tooth, a hexagon ended the game.
    Win,
}

/// Something that happened on a place of the board.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Happening {
    /// What it is.
    pub event: Event,
    /// Whose it is.
    pub player: Player,
    /// The piece that won, by its number in the [scene](Scene); 0 for a move.
    pub piece: usize,
    /// The place, by its number.
    pub place: u8,
}

impl Happening {
    /// How this player won a round between these two scenes: by the piece that now has a higher level. `None` if the game draws no such piece.
    pub fn win(player: Player, before: &Scene, after: &Scene) -> Option<Happening> {
        let pairs = before.pieces.iter().zip(&after.pieces).enumerate();
        let (piece, place) = pairs
            .filter(|(_, (before, after))| after.level > before.level)
            .map(|(piece, (_, after))| (piece, after.place))
            .next()?;
        Some(Happening { event: Event::Win, player, piece, place })
    }
}

/// What happened in all games, counted by board and engine.
#[derive(Clone, Default, Debug)]
pub struct Places(BTreeMap<(usize, usize, Happening), u64>);

impl Places {
    /// Counts what happened in a game on this board between these engines, Black's first.
    pub fn add(&mut self, stage: usize, [black, white]: [usize; 2], happenings: &[Happening]) {
        for &happening in happenings {
            let engine = match happening.player {
                Player::Black => black,
                Player::White => white,
            };
            *self.0.entry((stage, engine, happening)).or_default() += 1;
        }
    }

    /// Whether nothing is known of any place.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// Rows of numbers: board, engine, player, whether it is a win, piece, place, how often.
impl Serialize for Places {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.0.iter().map(|(&(stage, engine, happening), &count)| {
            let Happening { event, player, piece, place } = happening;
            (stage, engine, player as u8, event as u8, piece, place, count)
        }))
    }
}

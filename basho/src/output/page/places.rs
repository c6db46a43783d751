//! Where on the board rounds were won, and by which piece, and where moves went.

use std::collections::BTreeMap;

use serde::{Serialize, Serializer};

use oshi::draw::Scene;
use oshi::game::Player;

/// What happened on a place.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum EventKind {
    /// A move of a player, not of the opening, went there.
    Move,
    /// A piece there won a round: a tower took its tooth, a hexagon ended the game.
    Win,
}

/// Something that happened on a place of the board.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct BoardEvent {
    /// The kind of event.
    pub kind: EventKind,
    /// Whose it is.
    pub player: Player,
    /// The piece that won, by its number in the [scene](Scene); 0 for a move.
    pub piece: usize,
    /// The place, by its number.
    pub place: u8,
}

impl BoardEvent {
    /// How this player won a round between these two scenes: by the piece that now has a higher level. `None` if the game draws no such piece.
    pub fn win(player: Player, before: &Scene, after: &Scene) -> Option<BoardEvent> {
        let pairs = before.pieces.iter().zip(&after.pieces).enumerate();
        let (piece, place) = pairs
            .filter(|(_, (before, after))| after.level > before.level)
            .map(|(piece, (_, after))| (piece, after.place))
            .next()?;
        Some(BoardEvent { kind: EventKind::Win, player, piece, place })
    }
}

/// What happened in all games, counted by board and engine.
#[derive(Clone, Default, Debug)]
pub struct Places(BTreeMap<(usize, usize, BoardEvent), u64>);

impl Places {
    /// Counts what happened in a game on this board between these engines, Black's first.
    pub fn add(&mut self, stage: usize, [black, white]: [usize; 2], events: &[BoardEvent]) {
        for &event in events {
            let engine = match event.player {
                Player::Black => black,
                Player::White => white,
            };
            *self.0.entry((stage, engine, event)).or_default() += 1;
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
        serializer.collect_seq(self.0.iter().map(|(&(stage, engine, event), &count)| {
            let BoardEvent { kind, player, piece, place } = event;
            (stage, engine, player as u8, kind as u8, piece, place, count)
        }))
    }
}

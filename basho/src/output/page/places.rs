//! Where on the board rounds were won, by which piece, and where moves went.

use std::collections::BTreeMap;

use serde::{Serialize, Serializer};

use oshi::draw::Scene;
use oshi::game::Player;

/// Kind of an event on the board.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum EventKind {
    /// A player, not the opening, moved there.
    Move,
    /// A piece there won a round: a tower took a tooth, or a hexagon ended the game.
    Win,
}

/// An event on a place of the board.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct BoardEvent {
    /// Kind of the event.
    pub kind: EventKind,
    /// The player who moved or won.
    pub player: Player,
    /// Index of the winning piece in the [scene](Scene); 0 for a move.
    pub piece: usize,
    /// Number of the place.
    pub place: u8,
}

impl BoardEvent {
    /// The event of a player who won a round between two scenes: the piece with a higher level than before.
    /// `None` if the game draws no such piece.
    pub fn win(player: Player, before: &Scene, after: &Scene) -> Option<BoardEvent> {
        let pairs = before.pieces.iter().zip(&after.pieces).enumerate();
        let (piece, place) = pairs
            .filter(|(_, (before, after))| after.level > before.level)
            .map(|(piece, (_, after))| (piece, after.place))
            .next()?;
        Some(BoardEvent { kind: EventKind::Win, player, piece, place })
    }
}

/// Number of events in all games, by board, engine and event.
#[derive(Clone, Default, Debug)]
pub struct Places(BTreeMap<(usize, usize, BoardEvent), u64>);

impl Places {
    /// Adds the events of a game on this board. Black's engine comes first.
    pub fn add(&mut self, stage: usize, [black, white]: [usize; 2], events: &[BoardEvent]) {
        for &event in events {
            let engine = match event.player {
                Player::Black => black,
                Player::White => white,
            };
            *self.0.entry((stage, engine, event)).or_default() += 1;
        }
    }

    /// Whether there are no events.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// Rows of numbers: board, engine, player, kind, piece, place, count.
impl Serialize for Places {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.0.iter().map(|(&(stage, engine, event), &count)| {
            let BoardEvent { kind, player, piece, place } = event;
            (stage, engine, player as u8, kind as u8, piece, place, count)
        }))
    }
}

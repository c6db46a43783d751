//! The games in the browser's storage.

use dohyo_core::complete;
use dohyo_core::game::{Game, GameId, Timestamp};
use dohyo_core::host::{HostError, Storage};

use crate::browser;

/// The browser's storage. It writes later, in the order of the calls.
pub struct BrowserStorage;

impl Storage for BrowserStorage {
    fn save(&self, game: &Game, now: Timestamp) -> Result<(), HostError> {
        browser::save(&game.id.to_string(), &complete::write(game, now)?);
        Ok(())
    }

    fn remove(&self, id: &GameId) -> Result<(), HostError> {
        browser::remove(&id.to_string());
        Ok(())
    }

    fn place(&self) -> String {
        "the browser's storage".to_owned()
    }
}

//! Adds, saves and removes games, and retries failed saves.

use std::fmt::{self, Display, Formatter};
use std::sync::{Arc, Mutex};

use super::hosted_game::HostedGame;
use super::{Lobby, MAX_GAMES, UnknownGame};
use crate::event::{EventKind, Severity};
use crate::game::{Game, GameId};
use crate::host::HostError;
use crate::sync::{lock, try_lock};

/// Maximum number of games named in a message.
const MAX_NAMED: usize = 10;

/// A game that cannot be added.
#[derive(Debug, thiserror::Error)]
pub enum AddError {
    /// The server has the maximum number of games.
    #[error("the server has the maximum of {MAX_GAMES} games; delete some first")]
    Full,
    /// The game cannot be saved.
    #[error("cannot save the game: {0}")]
    Storage(#[source] HostError),
}

/// A game that cannot be removed.
#[derive(Debug, thiserror::Error)]
pub enum RemoveError {
    /// Unknown game.
    #[error(transparent)]
    Game(#[from] UnknownGame),
    /// The file cannot be removed.
    #[error("cannot delete the game's file: {0}; the game is kept")]
    Storage(#[source] HostError),
}

/// Games that could not be saved at the end of the program.
#[derive(Debug, thiserror::Error)]
pub struct UnsavedError {
    place: String,
    games: Vec<String>,
}

impl Display for UnsavedError {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let named = self.games.iter().take(MAX_NAMED).map(String::as_str).collect::<Vec<_>>();
        let games = if self.games.len() == 1 { "game" } else { "games" };
        write!(f, "cannot save {} {games}: {}", self.games.len(), named.join("; "))?;
        match self.games.len() - named.len() {
            0 => {}
            more => write!(f, "; and {more} more")?,
        }
        write!(f, "; expected room for files in `{}`", self.place)
    }
}

impl Lobby {
    /// Saves a new game and adds it.
    ///
    /// # Errors
    /// [`AddError`].
    pub fn add(&self, game: Game) -> Result<(), AddError> {
        self.check_room(1)?;
        // Written before `games` is locked, so that other games need not wait for the disk.
        self.storage.save(&game, self.now()).map_err(AddError::Storage)?;
        let mut games = lock(&self.games);
        if games.len() >= MAX_GAMES {
            drop(games);
            self.storage.remove(&game.id).map_err(AddError::Storage)?;
            return Err(AddError::Full);
        }
        games.insert(game.id.clone(), Arc::new(Mutex::new(HostedGame::new(game))));
        Ok(())
    }

    /// Checks that `count` games can be added.
    ///
    /// # Errors
    /// [`AddError::Full`].
    pub fn check_room(&self, count: usize) -> Result<(), AddError> {
        if count <= self.room() { Ok(()) } else { Err(AddError::Full) }
    }

    /// Returns the number of games that can still be added.
    pub fn room(&self) -> usize {
        MAX_GAMES.saturating_sub(lock(&self.games).len())
    }

    /// Saves a game, unless it has been removed. After a failure all tabs get a message, and the
    /// save is retried later.
    pub fn save(&self, game: &Game) {
        // `remove` locks the game before it removes the file.
        if !lock(&self.games).contains_key(&game.id) {
            return;
        }
        let saved = self.storage.save(game, self.now());
        self.saved(&game.id, saved);
    }

    /// Handles the result of a save. A storage that writes later reports only failures, and the
    /// first success after a failure.
    pub fn saved(&self, id: &GameId, saved: Result<(), HostError>) {
        match saved {
            Ok(()) => {
                let mut unsaved = lock(&self.unsaved);
                let was_unsaved = unsaved.remove(id).is_some();
                if was_unsaved && unsaved.is_empty() {
                    drop(unsaved);
                    let text = "all games are saved again".to_owned();
                    self.publish(None, EventKind::Message(Severity::Info, text));
                }
            }
            Err(error) => {
                let before = lock(&self.unsaved).insert(id.clone(), error.to_string());
                if before.is_none() {
                    let text = unsaved_message(&error);
                    self.publish(None, EventKind::Message(Severity::Error, text));
                }
            }
        }
    }

    /// Retries all failed saves.
    pub fn retry_saves(&self) {
        let ids: Vec<GameId> = lock(&self.unsaved).keys().cloned().collect();
        for hosted in ids.iter().filter_map(|id| self.game(id).ok()) {
            self.save(&lock(&hosted).game);
        }
    }

    /// Returns a message about unsaved games, if there are any.
    pub fn unsaved_warning(&self) -> Option<String> {
        lock(&self.unsaved).values().next().map(unsaved_message)
    }

    /// Saves the remaining changes at the end of the program, after all other work.
    ///
    /// # Errors
    /// [`UnsavedError`] names the games that cannot be saved.
    pub fn finish(&self) -> Result<(), UnsavedError> {
        for hosted in self.games() {
            // A locked game belongs to a stuck thread. The program must end anyway.
            let Some(mut hosted) = try_lock(&hosted) else { continue };
            let game = &mut hosted.game;
            let is_unsaved = lock(&self.unsaved).contains_key(&game.id);
            if is_unsaved || game.is_running() {
                game.stop_timer(self.now());
                self.save(game);
            }
        }
        let name = |(id, error): (&GameId, &String)| match self
            .game(id)
            .ok()
            .as_deref()
            .and_then(try_lock)
        {
            Some(hosted) => format!("`{id}` ({}): {error}", description(&hosted.game)),
            None => format!("`{id}`: {error}"),
        };
        let games: Vec<String> = lock(&self.unsaved).iter().map(name).collect();
        if games.is_empty() {
            Ok(())
        } else {
            Err(UnsavedError { place: self.storage.place(), games })
        }
    }

    /// Removes a game and its file.
    ///
    /// # Errors
    /// [`RemoveError`]: the game is kept.
    pub fn remove(&self, id: &GameId) -> Result<(), RemoveError> {
        let hosted = self.game(id)?;
        let mut hosted = lock(&hosted);
        // Another tab may have removed it first.
        self.game(id)?;
        self.storage.remove(id).map_err(RemoveError::Storage)?;
        lock(&self.games).remove(id);
        lock(&self.unsaved).remove(id);
        hosted.cancel_searches();
        self.pool.end_idle(|job| job.game == *id);
        self.publish(None, EventKind::Unlisted(id.clone()));
        Ok(())
    }
}

fn unsaved_message(error: impl Display) -> String {
    format!("cannot save the game: {error}; it stays in memory until a later save succeeds")
}

/// Describes a game in a message.
fn description(game: &Game) -> String {
    format!("{}, {} plies", game.start().variant().name(), game.path(game.head).len() - 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lobby::test_host;

    #[test]
    fn does_not_save_a_removed_game() {
        let (lobby, stored, id) = test_host::lobby_with_game();
        let hosted = lobby.game(&id).unwrap();
        lobby.remove(&id).unwrap();
        lobby.save(&lock(&hosted).game);
        assert_eq!(stored.count(), 0);
    }

    #[test]
    fn names_games_that_cannot_be_saved() {
        let (lobby, stored, id) = test_host::lobby_with_game();
        stored.refuse(true);
        lobby.save(&lock(&lobby.game(&id).unwrap()).game);
        let unsaved = lobby.finish().unwrap_err().to_string();
        let words = format!("cannot save 1 game: `{id}` (kamisado-standard, 0 plies): full");
        assert!(unsaved.starts_with(&words), "{unsaved}");
        stored.refuse(false);
        lobby.finish().unwrap();
    }

    #[test]
    fn reports_failures_of_a_later_write_until_one_succeeds() {
        let (lobby, _, id) = test_host::lobby_with_game();
        let mut events = lobby.subscribe();
        let mut message = || match events.try_recv().unwrap().kind {
            EventKind::Message(severity, text) => (severity, text),
            other => panic!("{other:?}"),
        };
        lobby.saved(&id, Err("full".into()));
        let (severity, text) = message();
        assert_eq!(severity, Severity::Error);
        assert_eq!(lobby.unsaved_warning(), Some(text));
        lobby.saved(&id, Ok(()));
        assert_eq!(message().0, Severity::Info);
        assert_eq!(lobby.unsaved_warning(), None);
    }
}

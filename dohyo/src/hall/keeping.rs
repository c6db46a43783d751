//! Adds, saves and removes games, and retries failed saves.

use std::fmt::{self, Display, Formatter};
use std::io;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};

use super::{Hall, MOST_GAMES, NoGame};
use crate::game::{Game, GameId};
use crate::news::{Gravity, What};
use crate::sync::{lock, try_lock};
use crate::table::Table;

/// Maximum number of games in a message.
const MOST_NAMED: usize = 10;

/// A game is not kept.
#[derive(Debug, thiserror::Error)]
pub enum Unkept {
    /// There is no room.
    #[error("there are {MOST_GAMES} games; expected some to be deleted first")]
    Full,
    /// Its file cannot be written.
    #[error("the game cannot be kept: {0}")]
    Io(#[from] io::Error),
}

/// A game is not removed.
#[derive(Debug, thiserror::Error)]
pub enum Unremoved {
    /// There is no such game.
    #[error(transparent)]
    Game(#[from] NoGame),
    /// Its file cannot be removed.
    #[error("the game's file cannot be removed: {0}; the game stays")]
    Io(#[from] io::Error),
}

/// Games that could not be saved at the end of the program.
#[derive(Debug, thiserror::Error)]
pub struct Unsaved {
    dir: PathBuf,
    games: Vec<String>,
}

impl Display for Unsaved {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let named = self.games.iter().take(MOST_NAMED).map(String::as_str).collect::<Vec<_>>();
        let games = if self.games.len() == 1 { "game" } else { "games" };
        write!(f, "cannot save {} {games}: {}", self.games.len(), named.join("; "))?;
        match self.games.len() - named.len() {
            0 => {}
            more => write!(f, "; and {more} more")?,
        }
        write!(f, "; expected room for files in `{}`", self.dir.display())
    }
}

impl Hall {
    /// Adds a game, and keeps it.
    ///
    /// # Errors
    /// There are too many, or it cannot be written.
    pub fn add(&self, game: Game) -> Result<(), Unkept> {
        self.check_room(1)?;
        // Without the lock: other games need not wait for the disk.
        self.store.save(&game)?;
        let mut tables = lock(&self.tables);
        if tables.len() >= MOST_GAMES {
            drop(tables);
            self.store.remove(&game.id)?;
            return Err(Unkept::Full);
        }
        tables.insert(game.id.clone(), Arc::new(Mutex::new(Table::new(game))));
        Ok(())
    }

    /// Checks the room for this number of new games.
    ///
    /// # Errors
    /// [`Unkept::Full`].
    pub fn check_room(&self, games: usize) -> Result<(), Unkept> {
        if games <= self.room() { Ok(()) } else { Err(Unkept::Full) }
    }

    /// The number of games that can still be added.
    pub fn room(&self) -> usize {
        MOST_GAMES.saturating_sub(lock(&self.tables).len())
    }

    /// Saves a game, unless it has been removed. On failure, all tabs get a message and the save is
    /// retried later.
    pub fn save(&self, game: &Game) {
        // `remove` waits for this game's table before it removes the file.
        if !lock(&self.tables).contains_key(&game.id) {
            return;
        }
        match self.store.save(game) {
            Ok(()) => {
                let mut unsaved = lock(&self.unsaved);
                let was_unsaved = unsaved.remove(&game.id).is_some();
                if was_unsaved && unsaved.is_empty() {
                    drop(unsaved);
                    self.tell(
                        None,
                        What::Message(Gravity::Info, "all games are saved again".to_owned()),
                    );
                }
            }
            Err(error) => {
                let before = lock(&self.unsaved).insert(game.id.clone(), error.to_string());
                if before.is_none() {
                    self.tell(None, What::Message(Gravity::Error, unsaved_message(&error)));
                }
            }
        }
    }

    /// Saves the games that could not be saved before.
    pub fn save_again(&self) {
        let ids: Vec<GameId> = lock(&self.unsaved).keys().cloned().collect();
        for table in ids.iter().filter_map(|id| self.table(id).ok()) {
            self.save(&lock(&table).game);
        }
    }

    /// A message about the games that could not be saved, if any.
    pub fn unsaved_warning(&self) -> Option<String> {
        lock(&self.unsaved).values().next().map(unsaved_message)
    }

    /// Saves the remaining changes at the end of the program, when all other work has ended.
    ///
    /// # Errors
    /// [`Unsaved`] names the games that cannot be saved.
    pub fn finish(&self) -> Result<(), Unsaved> {
        for table in self.tables() {
            // A game that is still locked belongs to a stuck thread; the program must end.
            let Some(mut table) = try_lock(&table) else { continue };
            let game = &mut table.game;
            let is_unsaved = lock(&self.unsaved).contains_key(&game.id);
            if is_unsaved || game.is_running() {
                game.hold();
                self.save(game);
            }
        }
        let name = |(id, error): (&GameId, &String)| match self
            .table(id)
            .ok()
            .as_deref()
            .and_then(try_lock)
        {
            Some(table) => format!("`{id}` ({}): {error}", described(&table.game)),
            None => format!("`{id}`: {error}"),
        };
        let games: Vec<String> = lock(&self.unsaved).iter().map(name).collect();
        if games.is_empty() { Ok(()) } else { Err(Unsaved { dir: self.data.clone(), games }) }
    }

    /// Removes a game.
    ///
    /// # Errors
    /// [`Unremoved`]; then the game stays.
    pub fn remove(&self, id: &GameId) -> Result<(), Unremoved> {
        let table = self.table(id)?;
        let mut table = lock(&table);
        // Another tab may have removed it first.
        self.table(id)?;
        self.store.remove(id)?;
        lock(&self.tables).remove(id);
        lock(&self.unsaved).remove(id);
        table.stop();
        self.pool.dismiss(|duty| duty.game == *id);
        self.tell(None, What::Unlisted(id.clone()));
        Ok(())
    }
}

fn unsaved_message(error: impl Display) -> String {
    format!(
        "the game cannot be saved: {error}; it stays in memory, and is saved as soon as that is possible"
    )
}

/// The variant and the length of a game, for a message.
fn described(game: &Game) -> String {
    format!("{}, {} plies", game.start().variant().name(), game.path(game.head).len() - 1)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use oshi::games::StartPosition;

    use super::*;
    use crate::arguments::Options;
    use crate::board;

    /// A hall with a game, its data folder and its runtime.
    fn hall() -> (tempfile::TempDir, tokio::runtime::Runtime, Arc<Hall>, GameId) {
        let temp = tempfile::tempdir().unwrap();
        let runtime = tokio::runtime::Runtime::new().unwrap();
        let within = runtime.enter();
        let options = Options {
            engines: Vec::new(),
            port: (0, false),
            opens: false,
            watch: None,
            data: Some(temp.path().to_owned()),
            patience: Duration::from_secs(5),
        };
        let hall = Hall::open(options).unwrap();
        drop(within);
        let game = Game::new(
            GameId::unused(),
            board::start(StartPosition::default()),
            Default::default(),
            None,
        );
        let id = game.id.clone();
        hall.add(game).unwrap();
        (temp, runtime, hall, id)
    }

    #[test]
    fn does_not_save_a_removed_game_from_a_stale_handle() {
        let (_temp, _runtime, hall, id) = hall();
        let table = hall.table(&id).unwrap();
        hall.remove(&id).unwrap();
        hall.save(&lock(&table).game);
        assert_eq!(hall.store.load().unwrap().0.len(), 0);
    }

    #[test]
    fn names_the_games_that_cannot_be_saved_at_the_end() {
        let (temp, _runtime, hall, id) = hall();
        let (games, away) = (temp.path().join("games"), temp.path().join("away"));
        std::fs::rename(&games, &away).unwrap();
        std::fs::write(&games, "").unwrap();
        hall.save(&lock(&hall.table(&id).unwrap()).game);
        let unsaved = hall.finish().unwrap_err().to_string();
        let words = format!("cannot save 1 game: `{id}` (kamisado-standard, 0 plies): ");
        assert!(unsaved.starts_with(&words), "{unsaved}");
        std::fs::remove_file(&games).unwrap();
        std::fs::rename(&away, &games).unwrap();
        hall.finish().unwrap();
    }
}

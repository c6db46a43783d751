//! A host for tests: a clock that stands still, games in memory, and no engines.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use oshi::games::StartPosition;

use super::{Host, Lobby};
use crate::board;
use crate::game::{Game, GameId, Timestamp};
use crate::host::{
    Answer, Connection, EngineError, Engines, HostError, SpawnError, Storage, System, Task, Timer,
};
use crate::sync::lock;

#[derive(Default)]
struct TestSystem(AtomicU64);

impl System for TestSystem {
    fn now(&self) -> Timestamp {
        Timestamp::default()
    }

    fn sleep(&self, _time: Duration) -> Task {
        Box::pin(std::future::pending())
    }

    fn spawn(&self, _name: &str, _work: Task) -> Result<(), SpawnError> {
        Ok(())
    }

    fn after(&self, _time: Duration, _work: Box<dyn FnOnce() + Send>) -> Timer {
        Timer::new(|| ())
    }

    fn random(&self) -> u64 {
        self.0.fetch_add(1, Ordering::Relaxed)
    }

    fn local_date(&self, _unix_ms: u64) -> Option<String> {
        None
    }
}

struct NoEngines;

impl Engines for NoEngines {
    fn names(&self) -> &[String] {
        &[]
    }

    fn max_running(&self) -> usize {
        1
    }

    fn hash_mib(&self) -> u32 {
        1
    }

    fn timeout(&self) -> Duration {
        Duration::ZERO
    }

    fn start(&self, _engine: usize) -> Answer<'_, Result<Box<dyn Connection>, EngineError>> {
        Box::pin(std::future::pending())
    }

    fn interrupt(&self) {}
}

/// Ids of the saved games.
#[derive(Clone, Default)]
pub struct Stored {
    games: Arc<Mutex<BTreeSet<GameId>>>,
    refuses: Arc<AtomicBool>,
}

impl Stored {
    /// Returns the number of saved games.
    pub fn count(&self) -> usize {
        lock(&self.games).len()
    }

    /// Makes every later save fail, or succeed again.
    pub fn refuse(&self, on: bool) {
        self.refuses.store(on, Ordering::Relaxed);
    }
}

impl Storage for Stored {
    fn save(&self, game: &Game, _now: Timestamp) -> Result<(), HostError> {
        if self.refuses.load(Ordering::Relaxed) {
            return Err("full".into());
        }
        lock(&self.games).insert(game.id.clone());
        Ok(())
    }

    fn remove(&self, id: &GameId) -> Result<(), HostError> {
        lock(&self.games).remove(id);
        Ok(())
    }

    fn place(&self) -> String {
        "memory".to_owned()
    }
}

/// Opens a lobby and adds a game.
pub fn lobby_with_game() -> (Arc<Lobby>, Stored, GameId) {
    let (system, stored) = (Arc::new(TestSystem::default()), Stored::default());
    let host = Host {
        system: system.clone(),
        storage: Box::new(stored.clone()),
        engines: Box::new(NoEngines),
        watch: None,
    };
    let lobby = Lobby::open(host, Vec::new(), Vec::new());
    let id = system.new_game_id();
    let start = board::start(StartPosition::default());
    let game = Game::new(id.clone(), start, Default::default(), None, system.now());
    lobby.add(game).unwrap();
    (lobby, stored, id)
}

//! The board of `dohyo-core` in a Web Worker: the same messages as the native server, with engines
//! in workers of their own and games in the browser's storage.
//!
//! `web/page/worker.js` loads this module and connects tabs to it.

#![cfg(target_family = "wasm")]
#![deny(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

mod browser;
mod engines;
mod storage;
mod system;

use std::collections::BTreeMap;
use std::sync::Arc;

use dohyo_core::cancel::CancelToken;
use dohyo_core::complete;
use dohyo_core::game::GameId;
use dohyo_core::host::System;
use dohyo_core::lobby::{Host, Lobby, SWEEP, Session};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use wasm_bindgen::prelude::wasm_bindgen;
use wasm_bindgen_futures::spawn_local;

use engines::{EngineWorkers, Registry};
use storage::BrowserStorage;
use system::BrowserSystem;

/// Reports a panic on the console. It ends the worker, and the page starts another one.
#[wasm_bindgen(start)]
fn start() {
    std::panic::set_hook(Box::new(|panic| browser::report(&panic.to_string())));
}

/// The board with its connected tabs.
#[wasm_bindgen]
pub struct Board {
    lobby: Arc<Lobby>,
    engines: Registry,
    tabs: BTreeMap<u32, UnboundedSender<String>>,
}

#[wasm_bindgen]
impl Board {
    /// Opens the board with the stored games, in the order of their ids.
    #[wasm_bindgen(constructor)]
    #[expect(clippy::needless_pass_by_value, reason = "wasm-bindgen passes values")]
    pub fn new(ids: Vec<String>, texts: Vec<String>) -> Board {
        let (mut games, mut warnings) = (Vec::new(), Vec::new());
        for (id, text) in ids.iter().zip(&texts) {
            match GameId::read(id).map(|id| complete::read(id, text)) {
                Some(Ok(game)) => games.push(game),
                Some(Err(error)) => warnings.push(format!("stored game `{id}`: {error}")),
                None => {}
            }
        }
        let (system, engines) = (Arc::new(BrowserSystem), Registry::default());
        let host = Host {
            system: system.clone(),
            storage: Box::new(BrowserStorage),
            engines: Box::new(EngineWorkers::new(engines.clone(), system.clone())),
            watch: None,
        };
        let lobby = Lobby::open(host, games, warnings);
        let swept = Arc::clone(&lobby);
        spawn_local(async move {
            loop {
                system.sleep(SWEEP).await;
                swept.sweep();
            }
        });
        Board { lobby, engines, tabs: BTreeMap::new() }
    }

    /// Starts the session of a tab.
    pub fn connect(&mut self, tab: u32) {
        let (sender, requests) = unbounded_channel();
        self.tabs.insert(tab, sender);
        spawn_local(serve(Arc::clone(&self.lobby), tab, requests));
    }

    /// Passes a request to the session of a tab.
    pub fn receive(&self, tab: u32, request: String) {
        if let Some(requests) = self.tabs.get(&tab) {
            // Fails only if the session has ended.
            let _ = requests.send(request);
        }
    }

    /// Ends the session of a tab.
    pub fn disconnect(&mut self, tab: u32) {
        self.tabs.remove(&tab);
    }

    /// Passes a line of an engine to its search.
    #[wasm_bindgen(js_name = engineLine)]
    pub fn engine_line(&self, engine: u32, line: String) {
        self.engines.line(engine, line);
    }

    /// Reports the failure of an engine.
    #[wasm_bindgen(js_name = engineFailed)]
    pub fn engine_failed(&self, engine: u32, error: String) {
        self.engines.failed(engine, error);
    }

    /// Reports the result of a save. No error means success.
    pub fn saved(&self, id: &str, error: Option<String>) {
        if let Some(id) = GameId::read(id) {
            self.lobby.saved(&id, error.map_or(Ok(()), |error| Err(error.into())));
        }
    }
}

/// Serves a tab until it is disconnected.
async fn serve(lobby: Arc<Lobby>, tab: u32, mut requests: UnboundedReceiver<String>) {
    let mut session = Session::new(lobby);
    loop {
        let outgoing = tokio::select! {
            request = requests.recv() => match request {
                Some(text) => session.handle(&text, &CancelToken::default()),
                None => return,
            },
            outgoing = session.next() => outgoing,
        };
        for text in outgoing.into_iter().filter_map(|message| session.render(message)) {
            browser::post(tab, &text);
        }
    }
}

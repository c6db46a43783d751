//! The engine in Web Workers: one worker for each running engine.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use basho::stderr_tail::StderrTail;
use dohyo_core::host::{Answer, Connection, EngineError, Engines, HostError, System};
use dohyo_core::sync::lock;
use oshi::protocol::{Command, OptionLine, Reply};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

use crate::browser;
use crate::system::BrowserSystem;

/// Hash table of an engine in MiB. Memory of a page is scarce and never given back.
const HASH_MIB: u32 = 16;

/// Time that an engine may exceed its limit by. Includes the download of the engine.
const TIMEOUT: Duration = Duration::from_secs(30);

/// A line of an engine, or its failure.
type Received = Result<String, String>;

/// The running engines, each with the receiver of its lines.
#[derive(Clone, Default)]
pub struct Registry(Arc<Mutex<Running>>);

#[derive(Default)]
struct Running {
    last: u32,
    lines: BTreeMap<u32, UnboundedSender<Received>>,
}

impl Registry {
    fn add(&self) -> (u32, UnboundedReceiver<Received>) {
        let (sender, receiver) = unbounded_channel();
        let mut running = lock(&self.0);
        running.last += 1;
        let engine = running.last;
        running.lines.insert(engine, sender);
        (engine, receiver)
    }

    fn remove(&self, engine: u32) {
        lock(&self.0).lines.remove(&engine);
    }

    fn pass(&self, engine: u32, received: Received) {
        if let Some(lines) = lock(&self.0).lines.get(&engine) {
            // Fails only if the engine has been ended.
            let _ = lines.send(received);
        }
    }

    /// Passes a line to the engine's search.
    pub fn line(&self, engine: u32, line: String) {
        self.pass(engine, Ok(line));
    }

    /// Passes a failure to the engine's search.
    pub fn failed(&self, engine: u32, error: String) {
        self.pass(engine, Err(error));
    }
}

/// The engines of the page: only oshi.
pub struct EngineWorkers {
    names: [String; 1],
    registry: Registry,
    system: Arc<BrowserSystem>,
}

impl EngineWorkers {
    /// Makes the engine available. No worker runs yet.
    pub fn new(registry: Registry, system: Arc<BrowserSystem>) -> EngineWorkers {
        EngineWorkers { names: ["oshi".to_owned()], registry, system }
    }
}

impl Engines for EngineWorkers {
    fn names(&self) -> &[String] {
        &self.names
    }

    fn max_running(&self) -> usize {
        browser::max_engines() as usize
    }

    fn hash_mib(&self) -> u32 {
        HASH_MIB
    }

    fn timeout(&self) -> Duration {
        TIMEOUT
    }

    fn start(&self, _engine: usize) -> Answer<'_, Result<Box<dyn Connection>, EngineError>> {
        let (engine, lines) = self.registry.add();
        browser::start_engine(engine);
        let mut worker = EngineWorker {
            engine,
            lines,
            options: Vec::new(),
            registry: self.registry.clone(),
            system: Arc::clone(&self.system),
        };
        Box::pin(async move {
            worker.handshake().await?;
            Ok(Box::new(worker) as Box<dyn Connection>)
        })
    }

    fn interrupt(&self) {
        for engine in lock(&self.registry.0).lines.values() {
            // Fails only if the engine has been ended.
            let _ = engine.send(Err("interrupted".to_owned()));
        }
    }
}

/// A running engine.
struct EngineWorker {
    engine: u32,
    lines: UnboundedReceiver<Received>,
    options: Vec<OptionLine>,
    registry: Registry,
    system: Arc<BrowserSystem>,
}

impl EngineWorker {
    async fn handshake(&mut self) -> Result<(), EngineError> {
        const AWAITED: &str = "`uciok` after `uci`";
        browser::send_line(self.engine, &Command::Uci.to_string());
        loop {
            let Some(line) = self.receive(TIMEOUT, AWAITED).await? else {
                return Err(failed(format!("no answer; expected {AWAITED}")));
            };
            match Reply::parse(&line).map_err(failed)? {
                Reply::Option(option) => self.options.push(option),
                Reply::UciOk => return Ok(()),
                _ => {}
            }
        }
    }
}

fn failed(error: impl Into<HostError>) -> EngineError {
    EngineError { error: error.into(), stderr_tail: StderrTail::default() }
}

impl Connection for EngineWorker {
    fn option(&self, name: &str) -> Option<&OptionLine> {
        self.options.iter().find(|option| option.is_called(name))
    }

    fn send<'a>(&'a mut self, lines: &'a [String]) -> Answer<'a, Result<(), EngineError>> {
        for line in lines {
            browser::send_line(self.engine, line);
        }
        Box::pin(std::future::ready(Ok(())))
    }

    fn receive<'a>(
        &'a mut self,
        wait: Duration,
        awaited: &'a str,
    ) -> Answer<'a, Result<Option<String>, EngineError>> {
        Box::pin(async move {
            if let Ok(received) = self.lines.try_recv() {
                return received.map(Some).map_err(failed);
            }
            tokio::select! {
                received = self.lines.recv() => match received {
                    Some(received) => received.map(Some).map_err(failed),
                    None => Err(failed(format!("the engine has ended; expected {awaited}"))),
                },
                () = self.system.sleep(wait) => Ok(None),
            }
        })
    }

    fn stderr_tail(&self) -> StderrTail {
        StderrTail::default()
    }
}

impl Drop for EngineWorker {
    fn drop(&mut self) {
        self.registry.remove(self.engine);
        browser::end_engine(self.engine);
    }
}

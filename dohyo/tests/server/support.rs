//! A server for a test, and a tab that talks to it.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use futures_util::{SinkExt, StreamExt};
use serde_json::{Value, json};
use tempfile::{NamedTempFile, TempDir};
use tokio::net::TcpStream as Stream;
use tokio::runtime::Runtime;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::client::IntoClientRequest;
use tokio_tungstenite::{MaybeTlsStream, WebSocketStream, connect_async};

/// Timeout that only a hang reaches.
pub const TIMEOUT: Duration = Duration::from_secs(120);

pub const DOHYO: &str = env!("CARGO_BIN_EXE_dohyo");

/// A server with its own data folder.
pub struct Server {
    child: Child,
    pub data: TempDir,
    pub port: u16,
    pub token: String,
    log: Option<NamedTempFile>,
}

impl Server {
    pub fn start(words: &[&str]) -> Server {
        Server::start_in(tempfile::tempdir().unwrap(), words)
    }

    pub fn start_in(data: TempDir, words: &[&str]) -> Server {
        Server::start_with(data, words, None)
    }

    /// Starts a server with its stderr in a file.
    pub fn start_logged(words: &[&str]) -> Server {
        Server::start_with(tempfile::tempdir().unwrap(), words, Some(NamedTempFile::new().unwrap()))
    }

    fn start_with(data: TempDir, words: &[&str], log: Option<NamedTempFile>) -> Server {
        let mut command = Command::new(DOHYO);
        if let Some(log) = &log {
            command.stderr(log.reopen().unwrap());
        }
        command.args(["--no-open", "--port", "0", "--data"]).arg(data.path()).args(words);
        let mut child = command.stdout(Stdio::piped()).spawn().unwrap();
        let mut address = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut address).unwrap();
        let (host, token) =
            address.trim().split_once("/?token=").expect("the address with the token");
        let port = host.rsplit_once(':').unwrap().1.parse().unwrap();
        let token = token.to_owned();
        Server { child, data, port, token, log }
    }

    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// Sends SIGTERM and waits for the end.
    pub fn terminate(mut self) -> ExitStatus {
        self.stop()
    }

    /// Sends SIGTERM and waits for the end. The data folder stays.
    pub fn stop(&mut self) -> ExitStatus {
        self.run_signals("kill -TERM $PID")
    }

    /// Runs a shell command with the process id in `PID`, and waits for the end of the server.
    pub fn signal(mut self, line: &str) -> ExitStatus {
        self.run_signals(line)
    }

    fn run_signals(&mut self, line: &str) -> ExitStatus {
        let sent = Command::new("sh")
            .args(["-c", line])
            .env("PID", self.id().to_string())
            .status()
            .unwrap();
        assert!(sent.success());
        let deadline = Instant::now() + TIMEOUT;
        loop {
            if let Some(status) = self.child.try_wait().unwrap() {
                return status;
            }
            assert!(Instant::now() < deadline, "the server is still running");
            std::thread::sleep(Duration::from_millis(10));
        }
    }

    /// Returns stderr so far.
    pub fn log(&self) -> String {
        std::fs::read_to_string(self.log.as_ref().expect("a server started by `start_logged`"))
            .unwrap()
    }

    /// Returns the resident memory in kB.
    #[cfg(target_os = "linux")]
    pub fn resident(&self) -> u64 {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.id())).unwrap();
        let line = status.lines().find(|line| line.starts_with("VmRSS:")).unwrap();
        line.split_whitespace().nth(1).unwrap().parse().unwrap()
    }

    /// Returns the processor time in ticks of 10 ms.
    #[cfg(target_os = "linux")]
    fn ticks(&self) -> u64 {
        let stat = std::fs::read_to_string(format!("/proc/{}/stat", self.id())).unwrap();
        let words: Vec<&str> = stat.rsplit_once(')').unwrap().1.split_whitespace().collect();
        words[11..13].iter().map(|word| word.parse::<u64>().unwrap()).sum()
    }

    /// Waits until the server has used a second of processor time.
    #[cfg(target_os = "linux")]
    pub fn wait_until_busy(&self) {
        let before = self.ticks();
        let deadline = Instant::now() + TIMEOUT;
        while self.ticks() < before + 100 {
            assert!(Instant::now() < deadline, "the server is idle");
            std::thread::sleep(Duration::from_millis(10));
        }
    }

    /// Waits until the server has been idle for a second.
    #[cfg(target_os = "linux")]
    pub fn wait_until_idle(&self) {
        let deadline = Instant::now() + TIMEOUT;
        loop {
            let before = self.ticks();
            std::thread::sleep(Duration::from_secs(1));
            if self.ticks() <= before + 2 {
                return;
            }
            assert!(Instant::now() < deadline, "the server is still busy");
        }
    }

    /// Kills the server.
    pub fn kill(mut self) -> TempDir {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
        std::mem::replace(&mut self.data, tempfile::tempdir().unwrap())
    }

    pub fn cookie(&self) -> String {
        format!("dohyo-{}={}", self.port, self.token)
    }

    /// Sends a request with these headers and returns the response.
    pub fn request(&self, path: &str, headers: &[&str]) -> String {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).unwrap();
        stream.set_read_timeout(Some(TIMEOUT)).unwrap();
        let headers: String = headers.iter().map(|line| format!("{line}\r\n")).collect();
        write!(stream, "GET {path} HTTP/1.1\r\nConnection: close\r\n{headers}\r\n").unwrap();
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).unwrap();
        String::from_utf8_lossy(&answer).into_owned()
    }

    pub fn tab(&self) -> Tab {
        self.tab_in("en")
    }

    pub fn tab_in(&self, language: &str) -> Tab {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let mut request = format!("ws://127.0.0.1:{}/ws", self.port).into_client_request().unwrap();
        request
            .headers_mut()
            .insert("Origin", format!("http://127.0.0.1:{}", self.port).parse().unwrap());
        request.headers_mut().insert("Cookie", self.cookie().parse().unwrap());
        let (socket, _) = runtime.block_on(connect_async(request)).unwrap();
        let mut tab = Tab { runtime, socket, tag: 0, welcome: Value::Null, games: Value::Null };
        tab.send(json!({"do": "hello", "lang": language}));
        tab.welcome = tab.until(|message| message["is"] == "welcome");
        tab.games = tab.until(|message| message["is"] == "games");
        tab
    }

    /// Returns the process ids of the engines.
    #[cfg(target_os = "linux")]
    pub fn engines(&self) -> Vec<i32> {
        let tasks = std::fs::read_dir(format!("/proc/{}/task", self.id())).unwrap().flatten();
        let lists =
            tasks.filter_map(|task| std::fs::read_to_string(task.path().join("children")).ok());
        lists
            .flat_map(|list| {
                list.split_whitespace().map(|id| id.parse().unwrap()).collect::<Vec<i32>>()
            })
            .collect()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // The test may have killed it.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A tab without a page.
pub struct Tab {
    runtime: Runtime,
    socket: WebSocketStream<MaybeTlsStream<Stream>>,
    tag: u64,
    pub welcome: Value,
    pub games: Value,
}

impl Tab {
    pub fn send(&mut self, message: Value) {
        self.send_text(&message.to_string());
    }

    pub fn send_text(&mut self, text: &str) {
        self.runtime.block_on(self.socket.send(Message::text(text))).unwrap();
    }

    /// Closes the socket with the closing handshake, like a browser.
    pub fn close(mut self) {
        self.runtime.block_on(self.socket.close(None)).unwrap();
        while self.receive().is_some() {}
    }

    /// Returns the next message, or `None` if the socket is closed.
    pub fn receive(&mut self) -> Option<Value> {
        loop {
            let next = async {
                tokio::time::timeout(TIMEOUT, self.socket.next())
                    .await
                    .expect("a message before the timeout")
            };
            match self.runtime.block_on(next)? {
                Ok(Message::Text(text)) => return Some(serde_json::from_str(&text).unwrap()),
                Ok(_) => {}
                Err(_) => return None,
            }
        }
    }

    /// Returns the first matching message and skips those before it.
    pub fn until(&mut self, suits: impl Fn(&Value) -> bool) -> Value {
        loop {
            let message = self.receive().expect("an open socket");
            if suits(&message) {
                return message;
            }
        }
    }

    /// Returns the reply to a request, which may be an error.
    pub fn try_request(&mut self, mut request: Value) -> Value {
        self.tag += 1;
        let tag = self.tag;
        request["tag"] = json!(tag);
        self.send(request);
        self.until(|message| message["tag"] == json!(tag))
    }

    /// Returns the reply to a request that succeeds.
    pub fn ask(&mut self, request: Value) -> Value {
        let answer = self.try_request(request.clone());
        assert_ne!(answer["is"], "error", "{request} failed: {answer}");
        answer
    }

    /// Returns the error of a request that fails.
    pub fn error(&mut self, request: Value) -> String {
        let answer = self.try_request(request.clone());
        assert_eq!(answer["is"], "error", "{request} succeeded: {answer}");
        answer["text"].as_str().unwrap().to_owned()
    }

    pub fn new_game(&mut self, variant: &str, players: [Value; 2]) -> Value {
        self.ask(json!({"do": "new", "variant": variant, "players": players}))
    }

    pub fn new_game_from(&mut self, variant: &str, start: Value, players: [Value; 2]) -> Value {
        self.ask(json!({"do": "new", "variant": variant, "start": start, "players": players}))
    }

    /// Plays a move at the current position. Returns the new position and the state of the game.
    pub fn play(&mut self, game: &Value, node: &Value, text: &str) -> (Value, Value) {
        self.send(json!({"do": "play", "game": game["id"], "node": node["id"], "move": text}));
        let reached = self.until(|message| message["is"] == "node" || message["is"] == "error");
        assert_eq!(reached["is"], "node", "{text}: {reached}");
        let head = self.until(|message| message["is"] == "head");
        (reached["node"].clone(), head)
    }
}

pub fn person() -> Value {
    json!({"kind": "person"})
}

pub fn engine(number: usize, level: Value, movetime: Value) -> Value {
    json!({"kind": "engine", "engine": number, "level": level, "movetime": movetime})
}

/// Returns a game as a tab receives it, without the tag of the reply.
pub fn contents(tab: &mut Tab, id: &Value) -> Value {
    let mut game = tab.ask(json!({"do": "open", "game": id}));
    game.as_object_mut().unwrap().remove("tag");
    game
}

/// Returns the texts of the legal moves of a position.
pub fn legal(node: &Value) -> Vec<String> {
    let moves = node["legal"].as_array().unwrap();
    moves.iter().map(|of| of[0].as_str().unwrap().to_owned()).collect()
}

/// Pseudo-random numbers, the same in every run.
pub struct Rng(pub u64);

impl Rng {
    pub fn below(&mut self, bound: usize) -> usize {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) % bound as u64) as usize
    }
}

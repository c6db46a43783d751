//! What the tests share: a server of their own, and a tab that talks with it.

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

/// So long that only a hang reaches it.
pub const FAR: Duration = Duration::from_secs(120);

pub const DOHYO: &str = env!("CARGO_BIN_EXE_dohyo");

/// A server in a data folder of its own.
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

    /// A server that logs its stderr to a file.
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

    /// Asks it to end, and waits until it has.
    pub fn terminate(mut self) -> ExitStatus {
        self.ask_to_end()
    }

    /// Asks it to end and waits; its files stay.
    pub fn ask_to_end(&mut self) -> ExitStatus {
        self.run_signals("kill -TERM $PID")
    }

    /// Runs a shell line with its process id in `PID`, and waits until it has ended.
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
        let deadline = Instant::now() + FAR;
        loop {
            if let Some(status) = self.child.try_wait().unwrap() {
                return status;
            }
            assert!(Instant::now() < deadline, "it does not end");
            std::thread::sleep(Duration::from_millis(10));
        }
    }

    /// Its stderr so far.
    pub fn log(&self) -> String {
        std::fs::read_to_string(self.log.as_ref().expect("a server that was started for it"))
            .unwrap()
    }

    /// Its memory, in kB.
    #[cfg(target_os = "linux")]
    pub fn resident(&self) -> u64 {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.id())).unwrap();
        let line = status.lines().find(|line| line.starts_with("VmRSS:")).unwrap();
        line.split_whitespace().nth(1).unwrap().parse().unwrap()
    }

    /// The processor time that it has used, in ticks of the system, a hundred a second.
    #[cfg(target_os = "linux")]
    fn ticks(&self) -> u64 {
        let stat = std::fs::read_to_string(format!("/proc/{}/stat", self.id())).unwrap();
        let words: Vec<&str> = stat.rsplit_once(')').unwrap().1.split_whitespace().collect();
        words[11..13].iter().map(|word| word.parse::<u64>().unwrap()).sum()
    }

    /// Waits until it has worked for a second more.
    #[cfg(target_os = "linux")]
    pub fn wait_until_busy(&self) {
        let before = self.ticks();
        let deadline = Instant::now() + FAR;
        while self.ticks() < before + 100 {
            assert!(Instant::now() < deadline, "it does nothing");
            std::thread::sleep(Duration::from_millis(10));
        }
    }

    /// Waits until it has not worked for a second.
    #[cfg(target_os = "linux")]
    pub fn wait_until_idle(&self) {
        let deadline = Instant::now() + FAR;
        loop {
            let before = self.ticks();
            std::thread::sleep(Duration::from_secs(1));
            if self.ticks() <= before + 2 {
                return;
            }
            assert!(Instant::now() < deadline, "it still works");
        }
    }

    /// Kills it, without a moment to tidy up.
    pub fn kill(mut self) -> TempDir {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
        std::mem::replace(&mut self.data, tempfile::tempdir().unwrap())
    }

    pub fn cookie(&self) -> String {
        format!("dohyo-{}={}", self.port, self.token)
    }

    /// Sends a request with these header lines, and returns the whole answer.
    pub fn request(&self, path: &str, headers: &[&str]) -> String {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).unwrap();
        stream.set_read_timeout(Some(FAR)).unwrap();
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

    /// The ids of the engines that it runs.
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
        // It may have been killed already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A page that shows nothing.
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

    /// Closes the socket with the whole closing handshake, like a browser.
    pub fn close(mut self) {
        self.runtime.block_on(self.socket.close(None)).unwrap();
        while self.receive().is_some() {}
    }

    /// The next message; `None` if the socket is closed.
    pub fn receive(&mut self) -> Option<Value> {
        loop {
            let next = async {
                tokio::time::timeout(FAR, self.socket.next())
                    .await
                    .expect("the server says nothing")
            };
            match self.runtime.block_on(next)? {
                Ok(Message::Text(text)) => return Some(serde_json::from_str(&text).unwrap()),
                Ok(_) => {}
                Err(_) => return None,
            }
        }
    }

    /// The first message that suits; those before are passed over.
    pub fn until(&mut self, suits: impl Fn(&Value) -> bool) -> Value {
        loop {
            let message = self.receive().expect("the server has closed the socket");
            if suits(&message) {
                return message;
            }
        }
    }

    /// The answer to an order, an error too.
    pub fn try_ask(&mut self, mut order: Value) -> Value {
        self.tag += 1;
        let tag = self.tag;
        order["tag"] = json!(tag);
        self.send(order);
        self.until(|message| message["tag"] == json!(tag))
    }

    /// The answer to an order that is obeyed.
    pub fn ask(&mut self, order: Value) -> Value {
        let answer = self.try_ask(order.clone());
        assert_ne!(answer["is"], "error", "{order} was refused: {answer}");
        answer
    }

    /// What is wrong with an order.
    pub fn refusal(&mut self, order: Value) -> String {
        let answer = self.try_ask(order.clone());
        assert_eq!(answer["is"], "error", "{order} was obeyed: {answer}");
        answer["text"].as_str().unwrap().to_owned()
    }

    pub fn new_game(&mut self, variant: &str, players: [Value; 2]) -> Value {
        self.ask(json!({"do": "new", "variant": variant, "players": players}))
    }

    /// Plays a move where the game stands, and returns the position it leads to and how the game stands.
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

/// The texts of the legal moves of a position.
pub fn legal(node: &Value) -> Vec<String> {
    let moves = node["legal"].as_array().unwrap();
    moves.iter().map(|of| of[0].as_str().unwrap().to_owned()).collect()
}

/// Numbers that are the same in every run.
pub struct Numbers(pub u64);

impl Numbers {
    pub fn below(&mut self, bound: usize) -> usize {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) % bound as u64) as usize
    }
}

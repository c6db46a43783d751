//! The connection of a tab. Messages are read while an order runs, so that a closed tab cancels its
//! order. Nothing is buffered for a tab that does not read.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use axum::body::Bytes;
use axum::extract::ws::{CloseFrame, Message, Utf8Bytes, WebSocket, close_code};
use tokio::sync::broadcast::error::RecvError;
use tokio::sync::mpsc::channel;
use tokio::task::{block_in_place, spawn_blocking};
use tokio::time::timeout;
use tungstenite::error::ProtocolError;

use crate::driver::Stop;
use crate::hall::Hall;
use crate::message::{Answer, LONGEST, LONGEST_READ, LONGEST_SENT, Reply};
use crate::news::News;
use crate::tab::{Saying, Tab};

/// Maximum number of queued late answers.
const LATE: usize = 64;

/// Maximum number of messages queued while an order runs.
const WAITING: usize = 64;

/// Timeout for a tab to read a message, before it is disconnected.
const SLOWEST: Duration = Duration::from_secs(10);

/// Timeout of the closing handshake.
const FAREWELL: Duration = Duration::from_secs(1);

/// A tab and its connection.
struct Line {
    socket: WebSocket,
    /// A ping without its answer. Reading stops until the answer is written.
    ping: Option<Bytes>,
    /// Messages received while an order runs.
    waiting: VecDeque<Utf8Bytes>,
}

/// Why the connection ends.
enum End {
    /// The tab has closed it, or does not read.
    Gone,
    /// The server closes it with this code and reason.
    Refused(u16, String),
}

/// The next thing to do.
enum Event {
    Order(Utf8Bytes),
    Sayings(Vec<Saying>),
}

/// Cancels a running order when it is dropped.
struct CancelOnDrop(Stop);

impl Drop for CancelOnDrop {
    fn drop(&mut self) {
        self.0.pull();
    }
}

/// Talks with a tab until it is closed.
pub async fn talk(socket: WebSocket, hall: Arc<Hall>) {
    let mut news = hall.listen();
    let (late, mut answers) = channel(LATE);
    let mut tab = Tab::new(Arc::clone(&hall), late);
    let mut line = Line { socket, ping: None, waiting: VecDeque::new() };
    let end = loop {
        let event = match line.waiting.pop_front() {
            Some(text) => Event::Order(text),
            None => tokio::select! {
                heard = line.hear() => match heard {
                    Ok(text) => Event::Order(text),
                    Err(end) => break end,
                },
                answer = answers.recv() => Event::Sayings(answer.into_iter().map(Saying::from).collect()),
                one = news.recv() => Event::Sayings(match one {
                    Ok(news) => vec![Saying::News(news)],
                    // Too slow for single events: send the whole state.
                    Err(RecvError::Lagged(_)) => {
                        news = news.resubscribe();
                        all(tab.everything())
                    }
                    Err(RecvError::Closed) => break End::Gone,
                }),
                () = hall.ended() => break End::Refused(close_code::AWAY, "the server ends".to_owned()),
            },
        };
        let sayings = match event {
            Event::Sayings(sayings) => sayings,
            Event::Order(text) => {
                let given = CancelOnDrop(Stop::default());
                let stop = given.0.clone();
                let mut work = spawn_blocking(move || {
                    let sayings = tab.answer(text.as_str(), &stop);
                    (tab, sayings)
                });
                let heard = tokio::select! {
                    done = &mut work => Ok(done),
                    end = line.hear_on() => Err(end),
                    () = hall.ended() => Err(End::Refused(close_code::AWAY, "the server ends".to_owned())),
                };
                match heard {
                    Ok(Ok((back, sayings))) => {
                        tab = back;
                        sayings
                    }
                    Ok(Err(_)) => return,
                    Err(end) => {
                        drop(given);
                        let Ok((back, _)) = work.await else { return };
                        tab = back;
                        break end;
                    }
                }
            }
        };
        if line.say(&mut tab, sayings).await.is_err() {
            break End::Gone;
        }
    };
    // Orders sent before the end are still carried out, except for long ones.
    let last = std::mem::take(&mut line.waiting);
    let rest = spawn_blocking(move || {
        let stop = Stop::default();
        stop.pull();
        for text in last {
            tab.answer(text.as_str(), &stop);
        }
    });
    if let End::Refused(code, reason) = end {
        line.close(code, reason).await;
    }
    let _ = rest.await;
}

fn all(news: Vec<News>) -> Vec<Saying> {
    news.into_iter().map(Saying::News).collect()
}

impl Line {
    /// Receives the next text. Safe to cancel.
    async fn hear(&mut self) -> Result<Utf8Bytes, End> {
        loop {
            if let Some(data) = &self.ping {
                self.send(Message::Pong(data.clone())).await?;
                self.ping = None;
            }
            match self.socket.recv().await {
                Some(Ok(Message::Text(text))) => return Ok(text),
                Some(Ok(Message::Binary(_))) => {
                    let reason = "binary data; expected JSON text".to_owned();
                    return Err(End::Refused(close_code::UNSUPPORTED, reason));
                }
                Some(Ok(Message::Ping(data))) => self.ping = Some(data),
                Some(Ok(Message::Pong(_) | Message::Close(_))) => {}
                Some(Err(error)) => return Err(End::of(error)),
                None => return Err(End::Gone),
            }
        }
    }

    /// Queues texts until the queue is full. Returns only when the connection ends.
    async fn hear_on(&mut self) -> End {
        let bytes = |waiting: &VecDeque<Utf8Bytes>| {
            waiting.iter().map(|text| text.as_str().len()).sum::<usize>()
        };
        while self.waiting.len() < WAITING && bytes(&self.waiting) < LONGEST {
            match self.hear().await {
                Ok(text) => self.waiting.push_back(text),
                Err(end) => return end,
            }
        }
        std::future::pending().await
    }

    async fn say(&mut self, tab: &mut Tab, sayings: Vec<Saying>) -> Result<(), End> {
        for saying in sayings {
            // Large games take a while to serialize.
            let text = block_in_place(|| tab.say(saying).and_then(|answer| written(&answer)));
            if let Some(text) = text {
                self.send(Message::text(text)).await?;
            }
        }
        Ok(())
    }

    async fn send(&mut self, message: Message) -> Result<(), End> {
        match timeout(SLOWEST, self.socket.send(message)).await {
            Ok(Ok(())) => Ok(()),
            Ok(Err(_)) | Err(_) => Err(End::Gone),
        }
    }

    /// Performs the closing handshake.
    async fn close(&mut self, code: u16, reason: String) {
        let frame = CloseFrame { code, reason: reason.into() };
        let goodbye = async {
            // The other side may be gone, or still writing.
            let sent = self.socket.send(Message::Close(Some(frame))).await;
            while sent.is_ok() && matches!(self.socket.recv().await, Some(Ok(_))) {}
        };
        let _ = timeout(FAREWELL, goodbye).await;
    }
}

/// Serializes an answer. One that is too long becomes an error.
fn written(answer: &Answer) -> Option<String> {
    let text = serde_json::to_string(answer).ok()?;
    if text.len() <= LONGEST_SENT {
        return Some(text);
    }
    let text = format!("an answer of {} bytes; expected at most {LONGEST_SENT}", text.len());
    serde_json::to_string(&Answer { tag: answer.tag, reply: Reply::Error { text } }).ok()
}

impl End {
    /// The end of a connection with an unreadable message.
    fn of(error: axum::Error) -> End {
        let inner = error.into_inner();
        let (code, expected) = match inner.downcast_ref::<tungstenite::Error>() {
            Some(tungstenite::Error::Capacity(_)) => {
                (close_code::SIZE, format!("text of at most {LONGEST_READ} bytes"))
            }
            Some(tungstenite::Error::Utf8(_)) => (close_code::INVALID, "UTF-8".to_owned()),
            Some(tungstenite::Error::Protocol(ProtocolError::ResetWithoutClosingHandshake)) => {
                return End::Gone;
            }
            Some(tungstenite::Error::Protocol(_)) => {
                (close_code::PROTOCOL, "frames as RFC 6455 has them".to_owned())
            }
            _ => return End::Gone,
        };
        End::Refused(code, format!("a message that cannot be read; expected {expected}"))
    }
}

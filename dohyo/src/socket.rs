//! The WebSocket connection of a tab. Messages are read while a request runs, so that closing the
//! tab cancels the request. Nothing is buffered for a tab that does not read.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use axum::body::Bytes;
use axum::extract::ws::{CloseFrame, Message, Utf8Bytes, WebSocket, close_code};
use dohyo_core::cancel::CancelToken;
use dohyo_core::lobby::{Lobby, Outgoing, Session};
use dohyo_core::message::{MAX_READ_BYTES, MAX_REQUEST_BYTES};
use tokio::task::{block_in_place, spawn_blocking};
use tokio::time::timeout;
use tungstenite::error::ProtocolError;

/// Maximum number of messages queued while a request runs.
const MAX_QUEUED: usize = 64;

/// Time after which a tab that does not read a message is disconnected.
const SEND_TIMEOUT: Duration = Duration::from_secs(10);

/// Timeout of the closing handshake.
const CLOSE_TIMEOUT: Duration = Duration::from_secs(1);

/// The connection of a tab.
struct Connection {
    socket: WebSocket,
    /// A ping to answer. Reading stops until the answer is written.
    ping: Option<Bytes>,
    /// Messages received while a request runs.
    queued: VecDeque<Utf8Bytes>,
}

/// The end of a connection.
enum End {
    /// The tab has closed it or does not read.
    Gone,
    /// The server closes it with a code and a reason.
    Closed(u16, String),
}

/// The next action of a connection.
enum Action {
    Handle(Utf8Bytes),
    Send(Vec<Outgoing>),
}

/// Cancels a running request when dropped.
struct CancelOnDrop(CancelToken);

impl Drop for CancelOnDrop {
    fn drop(&mut self) {
        self.0.cancel();
    }
}

/// Serves a tab until its connection ends.
pub async fn serve(socket: WebSocket, lobby: Arc<Lobby>) {
    let mut session = Session::new(Arc::clone(&lobby));
    let mut connection = Connection { socket, ping: None, queued: VecDeque::new() };
    let closing = || End::Closed(close_code::AWAY, "the server is shutting down".to_owned());
    let end = loop {
        let action = match connection.queued.pop_front() {
            Some(text) => Action::Handle(text),
            None => tokio::select! {
                received = connection.receive() => match received {
                    Ok(text) => Action::Handle(text),
                    Err(end) => break end,
                },
                outgoing = session.next() => Action::Send(outgoing),
                () = lobby.closed() => break closing(),
            },
        };
        let outgoing = match action {
            Action::Send(outgoing) => outgoing,
            Action::Handle(text) => {
                let guard = CancelOnDrop(CancelToken::default());
                let cancel = guard.0.clone();
                let mut work = spawn_blocking(move || {
                    let outgoing = session.handle(text.as_str(), &cancel);
                    (session, outgoing)
                });
                let handled = tokio::select! {
                    done = &mut work => Ok(done),
                    end = connection.queue() => Err(end),
                    () = lobby.closed() => Err(closing()),
                };
                match handled {
                    Ok(Ok((returned, outgoing))) => {
                        session = returned;
                        outgoing
                    }
                    Ok(Err(_)) => return,
                    Err(end) => {
                        drop(guard);
                        let Ok((returned, _)) = work.await else { return };
                        session = returned;
                        break end;
                    }
                }
            }
        };
        if connection.send_all(&mut session, outgoing).await.is_err() {
            break End::Gone;
        }
    };
    // Requests received before the end are still handled, except for long ones.
    let queued = std::mem::take(&mut connection.queued);
    let rest = spawn_blocking(move || {
        let cancel = CancelToken::default();
        cancel.cancel();
        for text in queued {
            session.handle(text.as_str(), &cancel);
        }
    });
    if let End::Closed(code, reason) = end {
        connection.close(code, reason).await;
    }
    let _ = rest.await;
}

impl Connection {
    /// Receives the next text. Safe to cancel.
    async fn receive(&mut self) -> Result<Utf8Bytes, End> {
        loop {
            if let Some(data) = &self.ping {
                self.send(Message::Pong(data.clone())).await?;
                self.ping = None;
            }
            match self.socket.recv().await {
                Some(Ok(Message::Text(text))) => return Ok(text),
                Some(Ok(Message::Binary(_))) => {
                    let reason = "binary data; expected JSON text".to_owned();
                    return Err(End::Closed(close_code::UNSUPPORTED, reason));
                }
                Some(Ok(Message::Ping(data))) => self.ping = Some(data),
                Some(Ok(Message::Pong(_) | Message::Close(_))) => {}
                Some(Err(error)) => return Err(End::of(error)),
                None => return Err(End::Gone),
            }
        }
    }

    /// Queues texts until the queue is full. Returns only when the connection ends.
    async fn queue(&mut self) -> End {
        let bytes = |queued: &VecDeque<Utf8Bytes>| {
            queued.iter().map(|text| text.as_str().len()).sum::<usize>()
        };
        while self.queued.len() < MAX_QUEUED && bytes(&self.queued) < MAX_REQUEST_BYTES {
            match self.receive().await {
                Ok(text) => self.queued.push_back(text),
                Err(end) => return end,
            }
        }
        std::future::pending().await
    }

    async fn send_all(
        &mut self,
        session: &mut Session,
        outgoing: Vec<Outgoing>,
    ) -> Result<(), End> {
        for message in outgoing {
            // Rendering a large game takes a while.
            if let Some(text) = block_in_place(|| session.render(message)) {
                self.send(Message::text(text)).await?;
            }
        }
        Ok(())
    }

    async fn send(&mut self, message: Message) -> Result<(), End> {
        match timeout(SEND_TIMEOUT, self.socket.send(message)).await {
            Ok(Ok(())) => Ok(()),
            Ok(Err(_)) | Err(_) => Err(End::Gone),
        }
    }

    /// Performs the closing handshake.
    async fn close(&mut self, code: u16, reason: String) {
        let frame = CloseFrame { code, reason: reason.into() };
        let handshake = async {
            // The other side may be gone, or still writing.
            let sent = self.socket.send(Message::Close(Some(frame))).await;
            while sent.is_ok() && matches!(self.socket.recv().await, Some(Ok(_))) {}
        };
        let _ = timeout(CLOSE_TIMEOUT, handshake).await;
    }
}

impl End {
    /// Returns the end of a connection with an unreadable message.
    fn of(error: axum::Error) -> End {
        let inner = error.into_inner();
        let (code, expected) = match inner.downcast_ref::<tungstenite::Error>() {
            Some(tungstenite::Error::Capacity(_)) => {
                (close_code::SIZE, format!("text of at most {MAX_READ_BYTES} bytes"))
            }
            Some(tungstenite::Error::Utf8(_)) => (close_code::INVALID, "UTF-8".to_owned()),
            Some(tungstenite::Error::Protocol(ProtocolError::ResetWithoutClosingHandshake)) => {
                return End::Gone;
            }
            Some(tungstenite::Error::Protocol(_)) => {
                (close_code::PROTOCOL, "frames as defined in RFC 6455".to_owned())
            }
            _ => return End::Gone,
        };
        End::Closed(code, format!("unreadable message; expected {expected}"))
    }
}

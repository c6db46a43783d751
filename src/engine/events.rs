//! The one queue of the engine: lines of input, and what the thinking thread says.

use std::io::{self, BufRead};
use std::sync::mpsc::SyncSender;
use std::thread::{self, JoinHandle};

use tracing::warn;

use super::input::{LineError, read_line};
use crate::protocol::Reply;

/// What the engine reacts to.
pub enum Event {
    /// A line of input.
    Line(Result<String, LineError>),
    /// No more lines will come.
    EndOfInput,
    /// Lines to be printed at once.
    Say(Vec<Reply>),
    /// The thinking is over; its answer is to be printed when the time has come.
    Done(Option<Reply>),
}

/// Reads the input to its end on a thread of its own.
///
/// # Errors
/// The system gives no thread.
pub fn spawn_reader(mut input: impl BufRead + Send + 'static, events: SyncSender<Event>) -> io::Result<()> {
    let read = move || {
        loop {
            let event = match read_line(&mut input) {
                Ok(Some(line)) => Event::Line(line),
                Ok(None) => Event::EndOfInput,
                Err(error) => {
                    warn!("the input fails: {error}");
                    Event::EndOfInput
                }
            };
            let at_end = matches!(event, Event::EndOfInput);
            // A send fails only once the engine has quit.
            if events.send(event).is_err() || at_end {
                break;
            }
        }
    };
    thread::Builder::new().name("input".to_owned()).spawn(read).map(|_| ())
}

/// Thinks on a thread of its own. The work may say lines; it ends with what the join handle gives back and an answer.
///
/// # Errors
/// The system gives no thread.
pub fn spawn_thinker<T: Send + 'static>(
    events: SyncSender<Event>,
    work: impl FnOnce(&dyn Fn(Vec<Reply>)) -> (T, Option<Reply>) + Send + 'static,
) -> io::Result<JoinHandle<T>> {
    let think = move || {
        // A send fails only once the engine has quit.
        let (result, answer) = work(&|replies| drop(events.send(Event::Say(replies))));
        drop(events.send(Event::Done(answer)));
        result
    };
    thread::Builder::new().name("search".to_owned()).spawn(think)
}

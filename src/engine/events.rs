//! The engine's event queue, and the threads that fill it: one reads the input, one searches.

use std::io::{self, BufRead};
use std::sync::mpsc::Sender;
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread::{self, JoinHandle};

use tracing::warn;

use super::input::{Line, read_line};
use super::job::{self, Job, JobResult};
use crate::protocol::{Command, Reply};
use crate::text::Lines;

/// An event that the engine handles.
pub enum Event {
    /// A line of input.
    Line(Line),
    /// The input has ended.
    EndOfInput,
    /// Lines to print at once.
    Print(Vec<Reply>),
    /// A job has ended with this result, or panicked with this message.
    JobEnded(Result<JobResult, String>),
    /// The output cannot be written any more.
    OutputFailed,
}

/// Maximum size of the lines that wait to be executed. The reader pauses above it.
const MAX_BACKLOG_BYTES: usize = 64 << 20;

/// Bytes that a queued line takes in addition to its text: its slot in the queue (the capacity
/// may be twice the length) and the allocation of the text.
const LINE_OVERHEAD: usize = 2 * size_of::<Event>() + 32;

/// Counter of the bytes that were read but not yet executed. Clones share it.
#[derive(Clone, Default)]
pub struct Backlog(Arc<(Mutex<usize>, Condvar)>);

impl Backlog {
    /// Waits until there is room for another line, and reserves it.
    fn reserve(&self, line: &Line) {
        let (bytes, changed) = &*self.0;
        let is_full = |bytes: &mut usize| *bytes > MAX_BACKLOG_BYTES;
        let bytes = bytes.lock().unwrap_or_else(PoisonError::into_inner);
        *changed.wait_while(bytes, is_full).unwrap_or_else(PoisonError::into_inner) +=
            Backlog::size_of(line);
    }

    /// Releases the room of a line.
    pub fn release(&self, line: &Line) {
        let (bytes, changed) = &*self.0;
        let mut bytes = bytes.lock().unwrap_or_else(PoisonError::into_inner);
        *bytes = bytes.saturating_sub(Backlog::size_of(line));
        changed.notify_all();
    }

    fn size_of(line: &Line) -> usize {
        line.text.capacity() + LINE_OVERHEAD
    }
}

/// Starts a thread that reads the input to its end. The thread calls `on_quit` as soon as it has
/// read a `quit`.
///
/// # Errors
/// The thread cannot be started.
pub fn spawn_reader(
    input: impl BufRead + Send + 'static,
    backlog: Backlog,
    on_quit: impl Fn() + Send + 'static,
    events: Sender<Event>,
) -> io::Result<()> {
    let read = move || {
        let mut lines = Lines::new(input);
        loop {
            let lines = lines.as_mut().map_err(|error| io::Error::from(error.kind()));
            let event = match lines.and_then(read_line) {
                Ok(Some(line)) => {
                    if line.error.is_none() && is_quit(&line.text) {
                        on_quit();
                    }
                    backlog.reserve(&line);
                    Event::Line(line)
                }
                Ok(None) => Event::EndOfInput,
                Err(error) => {
                    warn!("cannot read the input: {error}");
                    Event::EndOfInput
                }
            };
            let at_end = matches!(event, Event::EndOfInput);
            // Sending fails only after the engine has quit.
            if events.send(event).is_err() || at_end {
                break;
            }
        }
    };
    thread::Builder::new().name("input".to_owned()).spawn(read).map(|_| ())
}

/// Whether the line is a `quit`. Parses the line only if it may be one, since lines may be long.
fn is_quit(line: &str) -> bool {
    line.trim_start().starts_with(Command::Quit.word())
        && Command::parse(line) == Ok(Some(Command::Quit))
}

/// Runs a job on the search thread. The thread's last event is [`Event::JobEnded`].
///
/// # Errors
/// The thread cannot be started.
pub fn spawn_job(events: Sender<Event>, job: Job) -> io::Result<JoinHandle<()>> {
    let run = move || {
        // Sending fails only after the engine has quit.
        let print = |replies: Vec<Reply>| drop(events.send(Event::Print(replies)));
        drop(events.send(Event::JobEnded(job::run(job, &print))));
    };
    thread::Builder::new().name("search".to_owned()).spawn(run)
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;
    use std::sync::mpsc::channel;

    use super::*;

    #[test]
    fn backlog_counts_every_line_until_released() {
        for input in ["isready\n".repeat(100).into_bytes(), b"\xff\n".repeat(100), vec![b'\n'; 100]]
        {
            let backlog = Backlog::default();
            let (sender, events) = channel();
            spawn_reader(Cursor::new(input), backlog.clone(), || {}, sender).unwrap();
            let lines: Vec<Line> = events
                .iter()
                .filter_map(|event| if let Event::Line(line) = event { Some(line) } else { None })
                .collect();
            let bytes = || *backlog.0.0.lock().unwrap();
            assert!(
                lines.len() == 100 && bytes() >= 100 * size_of::<Event>(),
                "{} lines take {} bytes",
                lines.len(),
                bytes()
            );
            lines.iter().for_each(|line| backlog.release(line));
            assert_eq!(bytes(), 0);
        }
    }
}

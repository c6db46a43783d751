//! The event queue of the engine: lines of input, and results from the search thread.

use std::any::Any;
use std::io::{self, BufRead};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::Sender;
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread::{self, JoinHandle};

use tracing::warn;

use super::input::{Line, read_line};
use crate::protocol::{Command, Reply};
use crate::text::Lines;

/// An event that the engine handles.
pub enum Event {
    /// A line of input.
    Line(Line),
    /// The input has ended.
    EndOfInput,
    /// Lines to be printed at once.
    Print(Vec<Reply>),
    /// A job is done; or it has panicked, with this message.
    JobEnded(Result<JobResult, String>),
    /// The output cannot be written any more.
    OutputFailed,
}

/// The result of a job.
pub struct JobResult {
    /// The last lines, to be printed at once.
    pub last_lines: Vec<Reply>,
    /// The answer, to be printed as soon as it is not held back.
    pub answer: Option<Reply>,
    /// The searcher that was lent to the job.
    pub lent: Option<Box<dyn Any + Send>>,
}

impl JobResult {
    /// A result of these lines only.
    pub fn lines(last_lines: Vec<Reply>) -> JobResult {
        JobResult { last_lines, answer: None, lent: None }
    }
}

/// How many bytes of lines may wait to be obeyed; then the reader waits.
const MAX_BACKLOG_BYTES: usize = 64 << 20;

/// What a line takes in addition to its text: its place in a queue, which may have as many empty ones, and in the heap.
const LINE_OVERHEAD: usize = 2 * size_of::<Event>() + 32;

/// The bytes of the lines that were read but not yet obeyed.
#[derive(Clone, Default)]
pub struct Backlog(Arc<(Mutex<usize>, Condvar)>);

impl Backlog {
    /// Waits until there is room for one more line, and reserves it.
    fn take(&self, line: &Line) {
        let (bytes, changed) = &*self.0;
        let is_full = |bytes: &mut usize| *bytes > MAX_BACKLOG_BYTES;
        let bytes = bytes.lock().unwrap_or_else(PoisonError::into_inner);
        *changed.wait_while(bytes, is_full).unwrap_or_else(PoisonError::into_inner) +=
            Backlog::room(line);
    }

    /// Releases the room of a line.
    pub fn release(&self, line: &Line) {
        let (bytes, changed) = &*self.0;
        let mut bytes = bytes.lock().unwrap_or_else(PoisonError::into_inner);
        *bytes = bytes.saturating_sub(Backlog::room(line));
        changed.notify_all();
    }

    fn room(line: &Line) -> usize {
        line.text.capacity() + LINE_OVERHEAD
    }
}

/// Reads the input to its end on its own thread, which calls `on_quit` as soon as it has read a `quit`.
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
                    if line.error.is_none() && Command::parse(&line.text) == Ok(Some(Command::Quit))
                    {
                        on_quit();
                    }
                    backlog.take(&line);
                    Event::Line(line)
                }
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

/// Runs a job on its own thread. The job may print lines; its last event is [`Event::JobEnded`].
///
/// # Errors
/// The thread cannot be started.
pub fn spawn_job(
    events: Sender<Event>,
    work: impl FnOnce(&dyn Fn(Vec<Reply>)) -> JobResult + Send + 'static,
) -> io::Result<JoinHandle<()>> {
    let think = move || {
        // A send fails only once the engine has quit.
        let say = |replies| drop(events.send(Event::Print(replies)));
        // All state that a panic may leave inconsistent belongs to the job and is dropped with it.
        let done =
            catch_unwind(AssertUnwindSafe(|| work(&say))).map_err(|panic| message_of(&*panic));
        drop(events.send(Event::JobEnded(done)));
    };
    thread::Builder::new().name("search".to_owned()).spawn(think)
}

fn message_of(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
    text.or_else(|| panic.downcast_ref::<String>().cloned())
        .unwrap_or_else(|| "no message".to_owned())
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;
    use std::sync::mpsc::channel;

    use super::*;

    #[test]
    fn every_line_takes_room_in_the_backlog_until_it_is_obeyed() {
        for input in ["isready\n".repeat(100).into_bytes(), b"\xff\n".repeat(100), vec![b'\n'; 100]]
        {
            let backlog = Backlog::default();
            let (sender, events) = channel();
            spawn_reader(Cursor::new(input), backlog.clone(), || {}, sender).unwrap();
            let lines: Vec<Line> = events
                .iter()
                .filter_map(|event| if let Event::Line(line) = event { Some(line) } else { None })
                .collect();
            let room = || *backlog.0.0.lock().unwrap();
            assert!(
                lines.len() == 100 && room() >= 100 * size_of::<Event>(),
                "{} lines take {}",
                lines.len(),
                room()
            );
            lines.iter().for_each(|line| backlog.release(line));
            assert_eq!(room(), 0);
        }
    }
}

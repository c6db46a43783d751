//! Output through a queue and a thread. A client that does not read never blocks the engine.

use std::io::{self, Write};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

/// Maximum size of the text that waits to be written. Senders wait above it.
const MAX_QUEUE_BYTES: usize = 16 << 20;

/// How long the engine waits after `quit` for a client that does not read. On a busy machine the
/// writing thread may itself wait for the processor.
pub const QUIT_TIMEOUT: Duration = Duration::from_millis(400);

/// Bytes written at once. A pipe accepts this much after each read, so that slow reading shows as
/// progress.
const CHUNK_BYTES: usize = 1 << 12;

/// A queue of text, written by a thread.
pub struct Output {
    shared: Arc<Shared>,
}

#[derive(Default)]
struct Shared {
    queue: Mutex<Queue>,
    changed: Condvar,
}

#[derive(Default)]
struct Queue {
    waiting: Vec<u8>,
    /// Whether the thread is writing text that it took from the queue.
    is_writing: bool,
    /// Bytes written so far.
    written: u64,
    /// Whether writing has ended: it failed, timed out, or the engine is gone.
    is_closed: bool,
    /// Whether a `quit` has been read.
    is_quitting: bool,
    /// The error that ended writing.
    failure: Option<io::Error>,
}

impl Output {
    /// Starts a thread called `name` that writes to `writer`; calls `on_failure` if writing fails.
    ///
    /// # Errors
    /// The thread cannot be started.
    pub fn spawn(
        name: &str,
        mut writer: impl Write + Send + 'static,
        on_failure: impl FnOnce() + Send + 'static,
    ) -> io::Result<Output> {
        let output = Output { shared: Arc::default() };
        let shared = Arc::clone(&output.shared);
        let write = move || {
            while let Some(text) = shared.take() {
                if let Err(error) = shared.write(&mut writer, &text) {
                    shared.queue().failure = Some(error);
                    shared.close();
                    on_failure();
                    break;
                }
            }
        };
        thread::Builder::new().name(name.to_owned()).spawn(write)?;
        Ok(output)
    }

    /// Queues a text; waits until the queue has room. After a failure, texts are dropped.
    pub fn send(&self, text: &str) {
        let must_wait = |queue: &Queue| queue.waiting.len() > MAX_QUEUE_BYTES && !queue.is_closed;
        let mut queue = self.shared.queue();
        while must_wait(&queue) {
            if !queue.is_quitting {
                let wait = |queue: &mut Queue| must_wait(queue) && !queue.is_quitting;
                queue = self
                    .shared
                    .changed
                    .wait_while(queue, wait)
                    .unwrap_or_else(PoisonError::into_inner);
            } else if let Err(unread) = self.shared.await_progress(queue, QUIT_TIMEOUT) {
                queue = unread;
                queue.is_closed = true;
            } else {
                queue = self.shared.queue();
            }
        }
        if !queue.is_closed {
            queue.waiting.extend_from_slice(text.as_bytes());
            self.shared.changed.notify_all();
        }
    }

    /// Queues a text, or drops it if the queue is full.
    pub fn try_send(&self, text: &[u8]) {
        let mut queue = self.shared.queue();
        if queue.waiting.len() <= MAX_QUEUE_BYTES && !queue.is_closed {
            queue.waiting.extend_from_slice(text);
            self.shared.changed.notify_all();
        }
    }

    /// Returns a callback by which another thread announces a `quit`. From then on, senders give up
    /// when the client stops reading.
    pub fn quit_notifier(&self) -> impl Fn() + Send + 'static {
        let shared = Arc::clone(&self.shared);
        move || {
            shared.queue().is_quitting = true;
            shared.changed.notify_all();
        }
    }

    /// Returns true if nothing can be written any more.
    pub fn has_failed(&self) -> bool {
        self.shared.queue().is_closed
    }

    /// Takes the error that ended writing, if any.
    pub fn failure(&self) -> Option<io::Error> {
        self.shared.queue().failure.take()
    }

    /// Waits until everything is written, or until nothing has been written for `timeout`.
    pub fn drain(&self, timeout: Duration) {
        let is_done =
            |queue: &Queue| queue.is_closed || !queue.is_writing && queue.waiting.is_empty();
        while let queue = self.shared.queue()
            && !is_done(&queue)
            && self.shared.await_progress(queue, timeout).is_ok()
        {}
    }
}

impl Drop for Output {
    fn drop(&mut self) {
        self.shared.close();
    }
}

impl Shared {
    fn queue(&self) -> MutexGuard<'_, Queue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits for a change of the queue.
    ///
    /// # Errors
    /// Nothing was written within `timeout`; the error is the queue.
    fn await_progress<'a>(
        &'a self,
        queue: MutexGuard<'a, Queue>,
        timeout: Duration,
    ) -> Result<(), MutexGuard<'a, Queue>> {
        let written = queue.written;
        let (queue, waited) =
            self.changed.wait_timeout(queue, timeout).unwrap_or_else(PoisonError::into_inner);
        if waited.timed_out() && queue.written == written { Err(queue) } else { Ok(()) }
    }

    fn close(&self) {
        self.queue().is_closed = true;
        self.changed.notify_all();
    }

    /// Waits for text and takes it. Returns `None` once the queue is closed and empty.
    fn take(&self) -> Option<Vec<u8>> {
        let idle = |queue: &mut Queue| queue.waiting.is_empty() && !queue.is_closed;
        let mut queue =
            self.changed.wait_while(self.queue(), idle).unwrap_or_else(PoisonError::into_inner);
        let text = std::mem::take(&mut queue.waiting);
        queue.is_writing = !text.is_empty();
        queue.is_writing.then_some(text)
    }

    fn write(&self, writer: &mut impl Write, text: &[u8]) -> io::Result<()> {
        for piece in text.chunks(CHUNK_BYTES) {
            writer.write_all(piece)?;
            self.queue().written += piece.len() as u64;
            self.changed.notify_all();
        }
        writer.flush()?;
        self.queue().is_writing = false;
        self.changed.notify_all();
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::{Receiver, Sender, channel};

    use super::*;

    /// A pipe that accepts one write for each permission.
    struct Pipe {
        allowed: Receiver<()>,
        written: Sender<Vec<u8>>,
    }

    impl Write for Pipe {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.allowed.recv().map_err(|_| io::ErrorKind::BrokenPipe)?;
            self.written.send(bytes.to_vec()).map_err(|_| io::ErrorKind::BrokenPipe)?;
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    fn pipe() -> (Pipe, Sender<()>, Receiver<Vec<u8>>) {
        let (allow, allowed) = channel();
        let (written, read) = channel();
        (Pipe { allowed, written }, allow, read)
    }

    #[test]
    fn send_does_not_block_without_reader() {
        let (pipe, allow, read) = pipe();
        let output = Output::spawn("output", pipe, || {}).unwrap();
        for _ in 0..1000 {
            output.send("a line\n");
        }
        output.drain(Duration::ZERO);
        (0..1000).for_each(|_| allow.send(()).unwrap_or_default());
        output.drain(Duration::MAX);
        assert_eq!(read.try_iter().flatten().count(), 7000);
    }

    #[test]
    fn drain_waits_for_slow_reader() {
        let (pipe, allow, read) = pipe();
        let output = Output::spawn("output", pipe, || {}).unwrap();
        output.send(&"x".repeat(10 * CHUNK_BYTES));
        allow.send(()).unwrap();
        assert_eq!(read.recv().unwrap().len(), 1 << 12, "a page of a pipe");
        // The timeout starts again after each page that is read.
        while output.shared.queue().written == 0 {
            thread::yield_now();
        }
        (1..10).for_each(|_| allow.send(()).unwrap());
        output.drain(Duration::MAX);
        assert_eq!(read.try_iter().map(|piece| piece.len()).sum::<usize>(), 9 << 12);
    }

    #[test]
    fn try_send_never_blocks_and_is_bounded() {
        let (pipe, allow, read) = pipe();
        let output = Output::spawn("output", pipe, || {}).unwrap();
        output.try_send(b"first\n");
        (0..4).for_each(|_| output.try_send(&[b'x'; MAX_QUEUE_BYTES + 1]));
        assert!(output.shared.queue().waiting.len() <= 2 * MAX_QUEUE_BYTES);
        drop(allow);
        assert_eq!(read.iter().count(), 0, "nothing was written");
        output.try_send(b"last");
    }

    #[test]
    fn send_gives_up_after_quit_without_reader() {
        let (pipe, _allow, _read) = pipe();
        let output = Output::spawn("output", pipe, || {}).unwrap();
        output.quit_notifier()();
        (0..4).for_each(|_| output.send(&"x".repeat(MAX_QUEUE_BYTES)));
        assert!(output.has_failed(), "the queue is closed");
    }

    #[test]
    fn failure_is_reported_and_blocks_nothing() {
        let (pipe, allow, _) = pipe();
        let (notify, failed) = channel();
        let output =
            Output::spawn("output", pipe, move || notify.send(()).unwrap_or_default()).unwrap();
        drop(allow);
        output.send("a line\n");
        assert_eq!(failed.recv(), Ok(()));
        assert!(output.failure().is_some_and(|error| error.kind() == io::ErrorKind::BrokenPipe));
        output.send(&"x".repeat(2 * MAX_QUEUE_BYTES));
        output.send("more");
        output.drain(Duration::MAX);
    }
}

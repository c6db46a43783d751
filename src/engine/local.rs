//! An engine without threads, for a host with an event loop such as a web worker.

use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::io;

use super::core::{Core, Flow, Host};
use super::input::{Line, read_line};
use super::job::{self, Job};
use super::resources::Resources;
use crate::protocol::Reply;
use crate::search::Control;
use crate::text::{Encoding, Lines};

/// An engine that executes each line at once. Its caller runs the jobs.
///
/// A job calls `pause` about once a millisecond. There the caller may let the event loop deliver
/// further lines, such as `stop`: [`receive`](LocalEngine::receive) may be called during a pause.
///
/// ```
/// use std::cell::RefCell;
/// use std::rc::Rc;
///
/// use oshi::engine::LocalEngine;
///
/// let output = Rc::new(RefCell::new(String::new()));
/// let written = Rc::clone(&output);
/// let engine = LocalEngine::new(move |text| written.borrow_mut().push_str(text), || {});
/// engine.receive("go nodes 100\nquery p1turn");
/// assert_eq!(*output.borrow(), "response true\n");
/// engine.run_jobs();
/// assert!(output.borrow().contains("\nbestmove "));
/// ```
pub struct LocalEngine {
    core: RefCell<Core<Local>>,
    /// Lines that wait for the answer of a stopped job.
    postponed: RefCell<VecDeque<Line>>,
    is_stopping: Cell<bool>,
    has_quit: Cell<bool>,
}

struct Local {
    print: Box<dyn Fn(&str)>,
    pause: fn(),
    /// The job that waits to be run.
    job: Option<Job>,
}

impl Host for Local {
    fn print(&self, text: &str) {
        (self.print)(text);
    }

    // There is no log. The client sees the dialogue.
    fn set_debug(&self, _: bool) {}

    fn open_log(&self, path: &str) -> io::Result<()> {
        if path.is_empty() { Ok(()) } else { Err(io::ErrorKind::Unsupported.into()) }
    }

    fn control(&self, pondering: bool) -> Control {
        Control::new(pondering).with_pause(self.pause)
    }

    fn start(&mut self, job: Job) -> io::Result<()> {
        self.job = Some(job);
        Ok(())
    }
}

impl LocalEngine {
    /// Creates an engine at the start of the default variant. `print` gets whole lines.
    pub fn new(print: impl Fn(&str) + 'static, pause: fn()) -> LocalEngine {
        let local = Local { print: Box::new(print), pause, job: None };
        LocalEngine {
            core: RefCell::new(Core::new(local, Resources::of_page())),
            postponed: RefCell::default(),
            is_stopping: Cell::default(),
            has_quit: Cell::default(),
        }
    }

    /// Executes the lines of a text in order. After the `stop` of a job, lines wait for its answer.
    pub fn receive(&self, text: &str) {
        let mut lines = Lines::continued(text.as_bytes(), Encoding::Utf8);
        // Reading from memory does not fail.
        while let Ok(Some(line)) = read_line(&mut lines) {
            if self.is_stopping.get() {
                self.postponed.borrow_mut().push_back(line);
            } else {
                self.execute(line);
            }
        }
    }

    /// Runs the job that `go` or `bench` has started, if any, and those of the lines that waited
    /// for its answer.
    pub fn run_jobs(&self) {
        while let Some(job) = self.take_job() {
            let print = |replies: Vec<Reply>| {
                if !self.has_quit() {
                    self.core.borrow().print(replies);
                }
            };
            let result = job::run(job, &print);
            if self.has_quit() {
                return;
            }
            self.core.borrow_mut().end_job(result);
            self.is_stopping.set(false);
            while !self.is_stopping.get()
                && let Some(line) = self.next_postponed()
            {
                self.execute(line);
            }
        }
    }

    /// Whether a job waits for [`run_jobs`](LocalEngine::run_jobs).
    pub fn has_job(&self) -> bool {
        self.core.borrow().host.job.is_some()
    }

    /// Whether the engine has received `quit`. It prints nothing more.
    pub fn has_quit(&self) -> bool {
        self.has_quit.get()
    }

    fn execute(&self, line: Line) {
        if self.has_quit() {
            return;
        }
        let mut core = self.core.borrow_mut();
        match core.execute_line(line) {
            Flow::Continue => {}
            Flow::AwaitIdle => self.is_stopping.set(!core.job.is_idle()),
            Flow::Quit => {
                core.job.stop();
                self.has_quit.set(true);
            }
        }
    }

    fn take_job(&self) -> Option<Job> {
        self.core.borrow_mut().host.job.take()
    }

    fn next_postponed(&self) -> Option<Line> {
        self.postponed.borrow_mut().pop_front()
    }
}

#[cfg(test)]
mod tests;

//! A dialogue with the engine through a real pipe.

use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread;
use std::time::{Duration, Instant};

/// A guard against hanging, generous enough for any machine; nothing is measured with it.
const PATIENCE: Duration = Duration::from_secs(60);

pub struct Dialogue {
    child: Child,
    input: Option<ChildStdin>,
    lines: Receiver<String>,
}

impl Dialogue {
    /// Starts the engine.
    pub fn begin() -> Dialogue {
        let (mut child, output) = spawn(&[], Stdio::piped());
        let (sender, lines) = channel();
        thread::spawn(move || {
            output.lines().map_while(Result::ok).try_for_each(|line| sender.send(line))
        });
        Dialogue { input: child.stdin.take(), child, lines }
    }

    pub fn say(&mut self, line: &str) {
        // Shown if a test fails.
        println!("> {line:.200}");
        self.say_bytes(format!("{line}\n").as_bytes());
    }

    pub fn say_bytes(&mut self, bytes: &[u8]) {
        let input = self.input.as_mut().unwrap();
        input.write_all(bytes).and_then(|()| input.flush()).unwrap();
    }

    /// The next line, `None` at the end of the output.
    pub fn next_line(&self) -> Option<String> {
        match self.lines.recv_timeout(PATIENCE) {
            Ok(line) => {
                println!("< {line}");
                Some(line)
            }
            Err(RecvTimeoutError::Disconnected) => None,
            Err(RecvTimeoutError::Timeout) => panic!("no line within {PATIENCE:?}"),
        }
    }

    /// The lines up to and including the first that begins like this.
    pub fn lines_to(&self, beginning: &str) -> Vec<String> {
        let mut lines = Vec::new();
        while let Some(line) = self.next_line() {
            let last = line.starts_with(beginning);
            lines.push(line);
            if last {
                return lines;
            }
        }
        panic!("the output ends without a line `{beginning}`");
    }

    /// The last of the lines up to the first that begins like this.
    pub fn line(&self, beginning: &str) -> String {
        self.lines_to(beginning).pop().unwrap()
    }

    /// The engine's answers to the lines so far.
    pub fn answers(&mut self) -> Vec<String> {
        self.say("isready");
        let mut lines = self.lines_to("readyok");
        lines.pop();
        lines
    }

    /// The engine's answers to one line.
    pub fn answers_to(&mut self, line: &str) -> Vec<String> {
        self.say(line);
        self.answers()
    }

    /// A number of KiB from the status of the process.
    #[cfg(target_os = "linux")]
    pub fn status(&self, name: &str) -> u64 {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.child.id())).unwrap();
        let line = status.lines().find_map(|line| line.strip_prefix(name)).unwrap();
        line.split_whitespace().nth(1).unwrap().parse().unwrap()
    }

    /// All that `d` shows: the whole state of the table.
    pub fn board(&mut self) -> Vec<String> {
        self.say("d");
        self.lines_to("Fen: ")
    }

    /// Closes the input: the lines that are left, and how the program ends.
    pub fn end(self) -> (Vec<String>, ExitStatus) {
        let (lines, status, _) = self.end_with_errors();
        (lines, status)
    }

    /// The same, and what was written to the standard error.
    pub fn end_with_errors(mut self) -> (Vec<String>, ExitStatus, String) {
        self.input = None;
        let lines = std::iter::from_fn(|| self.next_line()).collect();
        let status = wait(&mut self.child);
        let mut errors = String::new();
        self.child.stderr.take().unwrap().read_to_string(&mut errors).unwrap();
        (lines, status, errors)
    }
}

impl Drop for Dialogue {
    fn drop(&mut self) {
        // A test that fails leaves no process behind.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Starts the program with these arguments.
pub fn spawn(arguments: &[&str], input: Stdio) -> (Child, BufReader<ChildStdout>) {
    let mut command = Command::new(crate::support::program::oshi());
    let mut child = command
        .args(arguments)
        .stdin(input)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let output = BufReader::new(child.stdout.take().unwrap());
    (child, output)
}

/// How the program ends.
pub fn wait(child: &mut Child) -> ExitStatus {
    let began = Instant::now();
    loop {
        if let Some(status) = child.try_wait().unwrap() {
            return status;
        }
        if began.elapsed() > PATIENCE {
            let _ = child.kill();
            panic!("the program does not end");
        }
        thread::sleep(Duration::from_millis(5));
    }
}

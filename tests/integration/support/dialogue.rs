//! Dialogues with the engine through real pipes.

use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread;
use std::time::{Duration, Instant};

/// Guard against hanging, long enough for a busy machine.
const TIMEOUT: Duration = Duration::from_secs(60);

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
        // The test runner shows it if the test fails.
        println!("> {line:.200}");
        self.say_bytes(format!("{line}\n").as_bytes());
    }

    pub fn say_bytes(&mut self, bytes: &[u8]) {
        let input = self.input.as_mut().unwrap();
        input.write_all(bytes).and_then(|()| input.flush()).unwrap();
    }

    /// Waits for the next line. Returns `None` at the end of the output.
    pub fn next_line(&self) -> Option<String> {
        match self.lines.recv_timeout(TIMEOUT) {
            Ok(line) => {
                println!("< {line}");
                Some(line)
            }
            Err(RecvTimeoutError::Disconnected) => None,
            Err(RecvTimeoutError::Timeout) => panic!("no line within {TIMEOUT:?}"),
        }
    }

    /// Returns the lines up to and including the first one that begins with `beginning`.
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

    /// Returns the next line that begins with `beginning`.
    pub fn line(&self, beginning: &str) -> String {
        self.lines_to(beginning).pop().unwrap()
    }

    /// Returns the unread answers to all lines so far.
    pub fn answers(&mut self) -> Vec<String> {
        self.say("isready");
        let mut lines = self.lines_to("readyok");
        lines.pop();
        lines
    }

    /// Sends a line and returns the unread answers.
    pub fn answers_to(&mut self, line: &str) -> Vec<String> {
        self.say(line);
        self.answers()
    }

    /// Returns an entry in KiB of the status of the process.
    #[cfg(target_os = "linux")]
    pub fn status(&self, name: &str) -> u64 {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.child.id())).unwrap();
        let line = status.lines().find_map(|line| line.strip_prefix(name)).unwrap();
        line.split_whitespace().nth(1).unwrap().parse().unwrap()
    }

    /// Returns the output of `d`, which shows the whole state of the game.
    pub fn board(&mut self) -> Vec<String> {
        self.say("d");
        self.lines_to("Fen: ")
    }

    /// Closes the input. Returns the unread lines and the exit status.
    pub fn end(self) -> (Vec<String>, ExitStatus) {
        let (lines, status, _) = self.end_with_errors();
        (lines, status)
    }

    /// Closes the input. Returns the unread lines, the exit status and the standard error.
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
        // A failed test must not leave a process behind.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Starts the program with these arguments and its output in a pipe.
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

/// Waits for the end of the program.
pub fn wait(child: &mut Child) -> ExitStatus {
    let began = Instant::now();
    loop {
        if let Some(status) = child.try_wait().unwrap() {
            return status;
        }
        if began.elapsed() > TIMEOUT {
            let _ = child.kill();
            panic!("the program does not end");
        }
        thread::sleep(Duration::from_millis(5));
    }
}

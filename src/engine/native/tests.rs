use std::sync::{Arc, Mutex, PoisonError};

use super::super::job::{JobState, Release, RunningJob};
use super::*;

/// An output that can be read while the engine runs.
#[derive(Clone, Default)]
struct Shared(Arc<Mutex<Vec<u8>>>);

impl Shared {
    fn lines(&self) -> Vec<String> {
        let text = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        String::from_utf8_lossy(&text).lines().map(str::to_owned).collect()
    }
}

impl Write for Shared {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

fn engine() -> (Engine, Shared) {
    let output = Shared::default();
    (Engine::new(output.clone(), Log::new(io::sink()).unwrap()).unwrap(), output)
}

fn line(text: &str) -> Line {
    read_line(&mut Lines::new(text.as_bytes()).unwrap()).unwrap().unwrap()
}

#[test]
fn answers_after_panic_of_search() {
    let (mut engine, output) = engine();
    let running = RunningJob {
        control: Arc::new(Control::default()),
        is_limited: true,
        is_search: true,
        release: Release::OnStop,
    };
    engine.core.start_job(Box::new(|_| panic!("on purpose")), running).unwrap();
    engine.wait_until_idle();
    engine.execute_line(line("go nodes 10"));
    engine.wait_until_idle();
    engine.core.host.output.drain(Duration::MAX);
    let lines = output.lines();
    assert_eq!(lines[..2], ["info string error: search failed: on purpose", "bestmove (none)"]);
    assert!(lines.last().unwrap().starts_with("bestmove ") && lines.len() > 3, "{lines:#?}");
}

#[test]
fn dropping_engine_stops_search() {
    let (mut engine, _output) = engine();
    engine.execute_line(line("go infinite"));
    let JobState::Running(job) = &engine.core.job else { panic!("no search is running") };
    let control = Arc::downgrade(&job.control);
    drop(engine);
    assert_eq!(control.strong_count(), 0, "a thread still holds its control");
}

#[test]
fn is_idle_after_last_line_of_answer() {
    let (mut engine, output) = engine();
    for (command, last) in [
        ("go perft 2", "Nodes searched: "),
        ("bench 100", "Nodes/second "),
        ("go nodes 10", "bestmove "),
    ] {
        engine.execute_line(line(command));
        // Handle single events: the next command may arrive right after the last line is printed.
        while !output.lines().last().is_some_and(|line| line.starts_with(last)) {
            assert!(!engine.core.job.is_idle(), "idle before the last line of `{command}`");
            let event = engine.events.recv().unwrap();
            engine.handle_event(event);
            engine.core.host.output.drain(Duration::MAX);
        }
        assert!(engine.core.job.is_idle(), "not idle after the last line of `{command}`");
    }
}

//! The process tree of an engine, including processes that have left its process group.
//!
//! Most descendants stay in the engine's process group. Others (`setsid`, `setpgid`, a daemon) are
//! recognized by their parents or by a mark in the environment, which processes inherit. A
//! [`Subreaper`] adopts orphans, so that unmarked ones are found as well. All this needs Linux and
//! its `/proc`; other systems have only the process group.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use nix::sys::signal::{Signal, kill};
use nix::sys::wait::{WaitPidFlag, waitpid};
use nix::unistd::{Pid, getpid};

use super::backoff;

/// Environment variable that holds the mark.
const VARIABLE: &str = "BASHO_ENGINE";

/// Maximum time to wait for killed processes, which end when the kernel next schedules them.
const KILL_TIMEOUT: Duration = Duration::from_secs(5);

/// The running engines. Their starters reap them; all other children are adopted processes.
static ENGINES: Mutex<BTreeSet<Pid>> = Mutex::new(BTreeSet::new());

/// The running engines. Hold the lock while starting one: before it is registered, its process
/// looks like an adopted one.
pub fn engines() -> MutexGuard<'static, BTreeSet<Pid>> {
    ENGINES.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A mark in the environment of all processes of one engine.
#[derive(Debug)]
pub struct Mark(String);

impl Mark {
    /// Returns a mark not used before.
    pub fn unused() -> Mark {
        static NUMBER: AtomicU64 = AtomicU64::new(0);
        Mark(format!("{}-{}", getpid(), NUMBER.fetch_add(1, Ordering::Relaxed)))
    }

    /// Environment variable and value.
    pub fn variable(&self) -> (&'static str, &str) {
        (VARIABLE, &self.0)
    }

    fn marks(&self, process: Pid) -> bool {
        let Ok(environment) = std::fs::read(format!("/proc/{process}/environ")) else {
            return false;
        };
        let mark = format!("{VARIABLE}={}", self.0);
        environment.split(|&byte| byte == 0).any(|entry| entry == mark.as_bytes())
    }
}

/// The engine's process and its descendants, including adopted processes with its mark.
pub fn process_tree(leader: Pid, mark: &Mark) -> BTreeSet<Pid> {
    let all = processes();
    let this = getpid();
    let engines = engines().clone();
    let is_adopted = |process: &&Process| process.parent == this && !engines.contains(&process.id);
    let adopted = all.iter().filter(is_adopted).filter(|process| mark.marks(process.id));
    descendants(&all, adopted.map(|process| process.id).chain([leader]).collect())
}

/// Kills all processes of an engine, and reaps the adopted ones, but not the engine's own process.
pub fn end_engine(leader: Pid, mark: &Mark) {
    end(|all| {
        let marked = all
            .iter()
            .filter(|process| !process.is_zombie && mark.marks(process.id))
            .map(|process| process.id);
        let mut family = descendants(all, std::iter::once(leader).chain(marked).collect());
        if all.iter().any(|process| process.id == leader && process.is_zombie) {
            family.remove(&leader);
        }
        family
    });
}

/// Kills the selected processes until all are gone, even zombies. A zombie may have started a
/// child between the listing of processes and its own end.
fn end(doomed: impl Fn(&[Process]) -> BTreeSet<Pid>) {
    let is_over = || {
        let all = processes();
        let doomed = doomed(&all);
        let left: Vec<_> = all.iter().filter(|process| doomed.contains(&process.id)).collect();
        for process in &left {
            // Fails if the process has ended. A process with only its main thread ended looks
            // like a zombie, so zombies are killed too.
            let _ = kill(process.id, Signal::SIGKILL);
        }
        reap_adopted();
        left.is_empty()
    };
    backoff::poll(KILL_TIMEOUT, || is_over().then_some(()));
}

/// Reaps all adopted processes that have ended, if this process is a subreaper.
pub fn reap_adopted() {
    if !adopts() {
        return;
    }
    let engines = engines();
    for child in children().into_iter().filter(|child| !engines.contains(child)) {
        let _ = waitpid(child, Some(WaitPidFlag::WNOHANG));
    }
}

/// Children of this process, as far as the system lists them.
fn children() -> Vec<Pid> {
    let threads = std::fs::read_dir("/proc/self/task").into_iter().flatten().flatten();
    let lists =
        threads.filter_map(|thread| std::fs::read_to_string(thread.path().join("children")).ok());
    lists
        .flat_map(|list| {
            list.split_whitespace().filter_map(|id| id.parse().ok()).collect::<Vec<i32>>()
        })
        .map(Pid::from_raw)
        .collect()
}

/// Makes this process adopt orphaned descendants. Dropping it kills the remaining ones.
#[derive(Debug)]
pub struct Subreaper {
    /// Children that existed before, which do not belong to engines.
    earlier_children: BTreeSet<Pid>,
}

impl Subreaper {
    /// Starts to adopt orphans. On systems without subreapers, engines are ended by process group
    /// only.
    pub fn open() -> Subreaper {
        let this = getpid();
        let earlier_children = processes()
            .iter()
            .filter(|process| process.parent == this)
            .map(|process| process.id)
            .collect();
        set_adoption(true);
        Subreaper { earlier_children }
    }
}

impl Drop for Subreaper {
    fn drop(&mut self) {
        if !adopts() {
            return;
        }
        end(|all| {
            let earlier_children = descendants(all, self.earlier_children.clone());
            let mut left = descendants(all, BTreeSet::from([getpid()]));
            left.remove(&getpid());
            left.difference(&earlier_children).copied().collect()
        });
        set_adoption(false);
    }
}

#[cfg(target_os = "linux")]
fn set_adoption(adopts: bool) {
    // All supported kernels have it.
    let _ = nix::sys::prctl::set_child_subreaper(adopts);
}

#[cfg(not(target_os = "linux"))]
fn set_adoption(_: bool) {}

#[cfg(target_os = "linux")]
fn adopts() -> bool {
    nix::sys::prctl::get_child_subreaper().unwrap_or(false)
}

#[cfg(not(target_os = "linux"))]
fn adopts() -> bool {
    false
}

/// A process and its parent.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Process {
    id: Pid,
    parent: Pid,
    /// Whether it has ended but is not reaped.
    is_zombie: bool,
}

/// All processes of the machine; empty without `/proc`.
fn processes() -> Vec<Process> {
    let entries = std::fs::read_dir("/proc").into_iter().flatten().flatten();
    let numbers = entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    numbers
        .filter_map(|id: i32| read_stat(&std::fs::read_to_string(format!("/proc/{id}/stat")).ok()?))
        .collect()
}

/// Reads `/proc/PID/stat`: number, name in parentheses (which may contain anything), state, parent.
fn read_stat(stat: &str) -> Option<Process> {
    let id = stat.split_once(' ')?.0.parse().ok()?;
    let mut rest = stat.rsplit_once(')')?.1.split_whitespace();
    let is_zombie = matches!(rest.next()?, "Z" | "X");
    Some(Process {
        id: Pid::from_raw(id),
        parent: Pid::from_raw(rest.next()?.parse().ok()?),
        is_zombie,
    })
}

/// These processes and all their descendants.
fn descendants(all: &[Process], mut family: BTreeSet<Pid>) -> BTreeSet<Pid> {
    loop {
        let known = family.len();
        let children =
            all.iter().filter(|process| family.contains(&process.parent)).map(|process| process.id);
        let children: Vec<Pid> = children.collect();
        family.extend(children);
        if family.len() == known {
            return family;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn process(id: i32, parent: i32) -> Process {
        Process { id: Pid::from_raw(id), parent: Pid::from_raw(parent), is_zombie: false }
    }

    #[test]
    fn finds_descendants_in_any_order() {
        let all = [process(9, 7), process(7, 5), process(5, 1), process(6, 1), process(8, 6)];
        let of = |id| {
            descendants(&all, BTreeSet::from([Pid::from_raw(id)]))
                .into_iter()
                .map(Pid::as_raw)
                .collect::<Vec<_>>()
        };
        assert_eq!(of(5), [5, 7, 9]);
        assert_eq!(of(6), [6, 8]);
        assert_eq!(of(4), [4]);
    }

    #[test]
    fn reads_process_with_any_name() {
        assert_eq!(read_stat("12 (a) Z 3) b) S 7 12 12"), Some(process(12, 7)));
        assert_eq!(read_stat("12 (sh) Z 7 12").map(|process| process.is_zombie), Some(true));
        assert_eq!(read_stat("12 (sh"), None);
    }
}

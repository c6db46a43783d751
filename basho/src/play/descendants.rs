//! The descendants of an engine: all processes that it has started, directly or not, even if they have left its process group.
//!
//! Most stay in the engine's process group. Those that have left it (`setsid`, `setpgid`, a daemon) are recognized by a mark in the
//! environment, which every process inherits, or by their parents. While there is a [`Subreaper`], basho adopts orphans, so that even
//! one without a mark is found in the end. This needs Linux and its `/proc`; elsewhere there are only process groups.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use nix::sys::signal::{Signal, kill};
use nix::sys::wait::{WaitPidFlag, waitpid};
use nix::unistd::{Pid, getpid};

use super::backoff::backoff;

/// The environment variable that holds the mark.
const VARIABLE: &str = "BASHO_ENGINE";

/// How long killed processes are waited for. The kernel ends them when it next schedules them.
const KILL_TIMEOUT: Duration = Duration::from_secs(5);

/// The running engines. The code that started them reaps them; all other children are adopted.
static ENGINES: Mutex<BTreeSet<Pid>> = Mutex::new(BTreeSet::new());

/// The running engines, locked for starting one, so that its process cannot be taken for an adopted one before it is entered.
pub fn engines() -> MutexGuard<'static, BTreeSet<Pid>> {
    ENGINES.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The mark in the environment of all processes of one engine.
#[derive(Debug)]
pub struct Mark(String);

impl Mark {
    /// A unique mark.
    pub fn unused() -> Mark {
        static NUMBER: AtomicU64 = AtomicU64::new(0);
        Mark(format!("{}-{}", getpid(), NUMBER.fetch_add(1, Ordering::Relaxed)))
    }

    /// The environment variable and its value.
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

/// An engine's process and its descendants: children of children, and adopted processes that bear
/// its mark.
pub fn process_tree(leader: Pid, mark: &Mark) -> BTreeSet<Pid> {
    let all = processes();
    let this = getpid();
    let engines = engines().clone();
    let is_adopted = |process: &&Process| process.parent == this && !engines.contains(&process.id);
    let adopted = all.iter().filter(is_adopted).filter(|process| mark.marks(process.id));
    descendants(&all, adopted.map(|process| process.id).chain([leader]).collect())
}

/// Kills all descendants of an engine, and reaps those that were adopted. The engine's own process is not reaped.
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

/// Kills the processes that `doomed` selects until there is none, not even one that has ended and is not yet reaped: between the list of
/// processes and the look at it, such a one may have started another, which is in no list yet.
fn end(doomed: impl Fn(&[Process]) -> BTreeSet<Pid>) {
    let is_over = || {
        let all = processes();
        let doomed = doomed(&all);
        let left: Vec<_> = all.iter().filter(|process| doomed.contains(&process.id)).collect();
        for process in &left {
            // It fails if the process has ended. One whose first thread alone has ended looks as if it had.
            let _ = kill(process.id, Signal::SIGKILL);
        }
        reap_adopted();
        left.is_empty()
    };
    let _ = is_over() || backoff(KILL_TIMEOUT).any(|()| is_over());
}

/// Reaps all adopted processes that have ended, if this process adopts orphans.
pub fn reap_adopted() {
    if !adopts() {
        return;
    }
    let engines = engines();
    for child in children().into_iter().filter(|child| !engines.contains(child)) {
        let _ = waitpid(child, Some(WaitPidFlag::WNOHANG));
    }
}

/// The children of this process, as far as the system lists them.
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

/// While it exists, orphaned descendants become children of this process; when it is dropped, those that are left are killed.
#[derive(Debug)]
pub struct Subreaper {
    /// Children that existed before; they do not come from engines.
    earlier_children: BTreeSet<Pid>,
}

impl Subreaper {
    /// Begins to adopt orphans. If the system does not support it, engines are ended by their process groups alone.
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
    // Every kernel that this program runs on supports it.
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
    /// Whether it has ended but is not yet reaped.
    is_zombie: bool,
}

/// All processes of the machine; none if there is no `/proc`.
fn processes() -> Vec<Process> {
    let entries = std::fs::read_dir("/proc").into_iter().flatten().flatten();
    let numbers = entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    numbers
        .filter_map(|id: i32| read_stat(&std::fs::read_to_string(format!("/proc/{id}/stat")).ok()?))
        .collect()
}

/// Reads `/proc/PID/stat`: number, name in parentheses, which may hold anything, state, parent.
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
    fn a_family_is_found_in_whatever_order_its_members_stand() {
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
    fn a_process_is_read_whatever_its_name_is() {
        assert_eq!(read_stat("12 (a) Z 3) b) S 7 12 12"), Some(process(12, 7)));
        assert_eq!(read_stat("12 (sh) Z 7 12").map(|process| process.is_zombie), Some(true));
        assert_eq!(read_stat("12 (sh"), None);
    }
}

//! What comes from an engine: all processes that it has started, wherever they have gone since.
//!
//! Most stay in the engine's process group. Those that have left it (`setsid`, `setpgid`, a daemon) are known by a mark in the
//! environment, which every process inherits, or by their parents. Where basho is asked to, it adopts all whose parents are gone, so
//! that even one without a mark is found in the end. All this needs Linux and its `/proc`; elsewhere there are process groups only.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use nix::sys::signal::{Signal, kill};
use nix::sys::wait::{WaitPidFlag, waitpid};
use nix::unistd::{Pid, getpid};

/// The variable of the environment that holds the mark.
const VARIABLE: &str = "BASHO_ENGINE";

/// How long killed processes may take to be gone. The kernel ends them when it next runs them.
const PATIENCE: Duration = Duration::from_secs(5);

/// The engines that run now. Whoever started them reaps them; all other children are adopted.
static ENGINES: Mutex<BTreeSet<Pid>> = Mutex::new(BTreeSet::new());

/// The engines that run now, for who starts one: nobody can take its process for an adopted one before it is entered.
pub fn engines() -> MutexGuard<'static, BTreeSet<Pid>> {
    ENGINES.lock().unwrap_or_else(PoisonError::into_inner)
}

/// What all processes of one engine have in their environment.
#[derive(Debug)]
pub struct Mark(String);

impl Mark {
    /// A mark that no other engine has.
    pub fn unused() -> Mark {
        static NUMBER: AtomicU64 = AtomicU64::new(0);
        Mark(format!("{}-{}", getpid(), NUMBER.fetch_add(1, Ordering::Relaxed)))
    }

    /// The variable of the environment and its value.
    pub fn variable(&self) -> (&'static str, &str) {
        (VARIABLE, &self.0)
    }

    fn is_on(&self, process: Pid) -> bool {
        let Ok(environment) = std::fs::read(format!("/proc/{process}/environ")) else { return false };
        let mark = format!("{VARIABLE}={}", self.0);
        environment.split(|&byte| byte == 0).any(|entry| entry == mark.as_bytes())
    }
}

/// Kills all that come from an engine, and reaps those that were adopted. The engine's own process is left unreaped.
pub fn end_engine(leader: Pid, mark: &Mark) {
    end(|all| {
        let marked = all.iter().filter(|relative| !relative.is_zombie && mark.is_on(relative.id)).map(|relative| relative.id);
        descendants(all, std::iter::once(leader).chain(marked).collect())
    });
}

/// Kills what `doomed` picks from all processes until nothing of it is left.
fn end(doomed: impl Fn(&[Relative]) -> BTreeSet<Pid>) {
    let deadline = Instant::now() + PATIENCE;
    let mut nap = Duration::from_micros(200);
    loop {
        let all = processes();
        let doomed = doomed(&all);
        let mut is_over = true;
        for relative in all.iter().filter(|relative| doomed.contains(&relative.id) && !relative.is_zombie) {
            // It fails where the process has just ended by itself.
            let _ = kill(relative.id, Signal::SIGKILL);
            is_over = false;
        }
        reap_adopted();
        if is_over || Instant::now() >= deadline {
            return;
        }
        std::thread::sleep(nap);
        nap = (nap * 2).min(Duration::from_millis(20));
    }
}

/// Reaps all adopted processes that have ended by themselves, if it is this process that adopts them.
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
    let lists = threads.filter_map(|thread| std::fs::read_to_string(thread.path().join("children")).ok());
    lists
        .flat_map(|list| list.split_whitespace().filter_map(|id| id.parse().ok()).collect::<Vec<i32>>())
        .map(Pid::from_raw)
        .collect()
}

/// As long as it lives, all whose parents are gone become children of this process; then those that are left are killed.
#[derive(Debug)]
pub struct Orphanage {
    /// Children that were there before; they are nobody's engines.
    strangers: BTreeSet<Pid>,
}

impl Orphanage {
    /// Begins to adopt. Where the system knows no adoption, engines are ended by their groups alone.
    pub fn open() -> Orphanage {
        let this = getpid();
        let strangers = processes().iter().filter(|relative| relative.parent == this).map(|relative| relative.id).collect();
        set_adoption(true);
        Orphanage { strangers }
    }
}

impl Drop for Orphanage {
    fn drop(&mut self) {
        if !adopts() {
            return;
        }
        end(|all| {
            let strangers = descendants(all, self.strangers.clone());
            let mut left = descendants(all, BTreeSet::from([getpid()]));
            left.remove(&getpid());
            left.difference(&strangers).copied().collect()
        });
        set_adoption(false);
    }
}

#[cfg(target_os = "linux")]
fn set_adoption(adopts: bool) {
    // A kernel that knows no adoption is older than any that this program runs on.
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

/// A process and where it comes from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Relative {
    id: Pid,
    parent: Pid,
    /// Whether it has ended and is not reaped yet.
    is_zombie: bool,
}

/// All processes of the machine; none where there is no `/proc`.
fn processes() -> Vec<Relative> {
    let entries = std::fs::read_dir("/proc").into_iter().flatten().flatten();
    let numbers = entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    numbers.filter_map(|id: i32| read_stat(&std::fs::read_to_string(format!("/proc/{id}/stat")).ok()?)).collect()
}

/// Reads `/proc/PID/stat`: number, name in parentheses, which may hold anything, state, parent.
fn read_stat(stat: &str) -> Option<Relative> {
    let id = stat.split_once(' ')?.0.parse().ok()?;
    let mut rest = stat.rsplit_once(')')?.1.split_whitespace();
    let is_zombie = matches!(rest.next()?, "Z" | "X");
    Some(Relative { id: Pid::from_raw(id), parent: Pid::from_raw(rest.next()?.parse().ok()?), is_zombie })
}

/// These processes and all that come from them.
fn descendants(all: &[Relative], mut family: BTreeSet<Pid>) -> BTreeSet<Pid> {
    loop {
        let known = family.len();
        let children = all.iter().filter(|relative| family.contains(&relative.parent)).map(|relative| relative.id);
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

    fn relative(id: i32, parent: i32) -> Relative {
        Relative { id: Pid::from_raw(id), parent: Pid::from_raw(parent), is_zombie: false }
    }

    #[test]
    fn a_family_is_found_in_whatever_order_its_members_stand() {
        let all = [relative(9, 7), relative(7, 5), relative(5, 1), relative(6, 1), relative(8, 6)];
        let of = |id| descendants(&all, BTreeSet::from([Pid::from_raw(id)])).into_iter().map(Pid::as_raw).collect::<Vec<_>>();
        assert_eq!(of(5), [5, 7, 9]);
        assert_eq!(of(6), [6, 8]);
        assert_eq!(of(4), [4]);
    }

    #[test]
    fn a_process_is_read_whatever_its_name_is() {
        assert_eq!(read_stat("12 (a) Z 3) b) S 7 12 12"), Some(relative(12, 7)));
        assert_eq!(read_stat("12 (sh) Z 7 12").map(|relative| relative.is_zombie), Some(true));
        assert_eq!(read_stat("12 (sh"), None);
    }
}

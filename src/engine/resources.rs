//! Limits of the options `Hash` and `Threads`.

use std::fs;

/// Maximum of `Hash` on any machine, in MiB.
const MAXIMUM: u64 = 65_536;

/// Default of `Hash`, in MiB.
const DEFAULT: u64 = 64;

/// Maximum of `Hash` in a page, in MiB. WebAssembly can address four times as much.
const MAXIMUM_IN_PAGE: u64 = 1024;

/// Maximum of `Threads` on any machine.
const MAX_THREADS: i64 = 256;

/// Limits set by the machine or the page.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Resources {
    /// Default of `Hash`, in MiB.
    pub default_hash: i64,
    /// Maximum of `Hash`, in MiB.
    pub max_hash: i64,
    /// Maximum of `Threads`.
    pub max_threads: i64,
}

impl Resources {
    /// Returns the limits of a process.
    ///
    /// The maximum of `Hash` is seven eighths of the memory that this process may use: the least of
    /// the machine's memory, the limit of the control group and the limit of the address space.
    /// Limits that the system does not report are ignored; only Linux reports any.
    pub fn of_machine() -> Resources {
        let limit = [machine(), control_group(), address_space()].into_iter().flatten().min();
        let maximum = limit.map_or(MAXIMUM, |bytes| (bytes / 8 * 7) >> 20).clamp(1, MAXIMUM);
        Resources {
            default_hash: DEFAULT.min(maximum).cast_signed(),
            max_hash: maximum.cast_signed(),
            max_threads: MAX_THREADS,
        }
    }

    /// Returns the limits of an engine with one thread in a page.
    pub const fn of_page() -> Resources {
        Resources {
            default_hash: DEFAULT.cast_signed(),
            max_hash: MAXIMUM_IN_PAGE.cast_signed(),
            max_threads: 1,
        }
    }
}

/// Memory of the machine, in bytes.
fn machine() -> Option<u64> {
    let kib = number_in(&fs::read_to_string("/proc/meminfo").ok()?, "MemTotal:")?;
    kib.checked_mul(1024)
}

/// Least memory limit of this process's control group and those above it, in bytes.
fn control_group() -> Option<u64> {
    let groups = fs::read_to_string("/proc/self/cgroup").ok()?;
    limit_files(&groups)
        .iter()
        .filter_map(|path| fs::read_to_string(path).ok()?.trim().parse().ok())
        .min()
}

/// Files that may hold the memory limit of the control groups listed in `/proc/self/cgroup`.
///
/// A line `0::/path` names a group of version 2, a line `N:memory:/path` one of version 1. Inside
/// a container the path may lie outside the mount, so the root of the mount is read too.
fn limit_files(groups: &str) -> Vec<String> {
    let mut files = Vec::new();
    for line in groups.lines() {
        let mut fields = line.splitn(3, ':').skip(1);
        let (Some(controllers), Some(path)) = (fields.next(), fields.next()) else { continue };
        let (root, file) = match controllers {
            "" => ("/sys/fs/cgroup", "memory.max"),
            _ if controllers.split(',').any(|name| name == "memory") => {
                ("/sys/fs/cgroup/memory", "memory.limit_in_bytes")
            }
            _ => continue,
        };
        let mut path = path.trim_end_matches('/');
        loop {
            files.push(format!("{root}{path}/{file}"));
            let Some((parent, _)) = path.rsplit_once('/') else { break };
            path = parent;
        }
    }
    files
}

/// Limit of the address space (`ulimit -v`), in bytes.
fn address_space() -> Option<u64> {
    number_in(&fs::read_to_string("/proc/self/limits").ok()?, "Max address space")
}

/// Returns the first number after `name` in a table of the `/proc` file system, or `None` if the
/// entry is missing or unlimited.
fn number_in(table: &str, name: &str) -> Option<u64> {
    table.lines().find_map(|line| line.strip_prefix(name))?.split_whitespace().next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_number_and_ignores_unlimited_entry() {
        let table = "Limit                     Soft Limit           Hard Limit           Units\n\
                     Max stack size            8388608              unlimited            bytes\n\
                     Max address space         unlimited            unlimited            bytes\n";
        assert_eq!(number_in(table, "Max stack size"), Some(8_388_608));
        assert_eq!(number_in(table, "Max address space"), None);
        assert_eq!(number_in(table, "Max file locks"), None);
        assert_eq!(number_in("MemTotal:       24737680 kB\n", "MemTotal:"), Some(24_737_680));
    }

    #[test]
    fn finds_limit_files_of_group_and_its_parents() {
        assert_eq!(
            limit_files("0::/user.slice/job\n"),
            [
                "/sys/fs/cgroup/user.slice/job/memory.max",
                "/sys/fs/cgroup/user.slice/memory.max",
                "/sys/fs/cgroup/memory.max",
            ]
        );
        assert_eq!(
            limit_files("3:cpu:/a\n4:memory,hugetlb:/\n"),
            ["/sys/fs/cgroup/memory/memory.limit_in_bytes"]
        );
        assert_eq!(limit_files("nonsense"), [""; 0]);
    }
}

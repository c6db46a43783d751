//! How much memory the search may be given here.

use std::{fs, process};

use sysinfo::{MemoryRefreshKind, Pid, ProcessRefreshKind, ProcessesToUpdate, System};

/// The most that `Hash` may be anywhere, in MiB.
const MOST: u64 = 65_536;

/// The default of `Hash`, in MiB.
const DEFAULT: u64 = 64;

/// The default of `Hash` and the most that it may be here, in MiB: seven eighths of what the machine, the control group of this process
/// and its own limits give, so that something is left for everything else. A limit that the system does not report is ignored.
pub fn default_and_most() -> (i64, i64) {
    let given = [machine_and_group(), address_space()]
        .into_iter()
        .flatten()
        .filter(|&bytes| bytes > 0)
        .min();
    let most = given.map_or(MOST, |bytes| (bytes / 8 * 7) >> 20).clamp(1, MOST);
    (DEFAULT.min(most).cast_signed(), most.cast_signed())
}

/// What the machine has and what its control group may use of it, the lesser of the two, in bytes.
fn machine_and_group() -> Option<u64> {
    let mut system = System::new().ok()?;
    system.refresh_memory_specifics(MemoryRefreshKind::nothing().with_ram());
    let this = Pid::from_u32(process::id());
    system.refresh_processes_specifics(
        ProcessesToUpdate::Some(&[this]),
        false,
        ProcessRefreshKind::nothing(),
    );
    let group = system
        .process(this)
        .and_then(|process| process.cgroup_limits())
        .map(|limits| limits.total_memory);
    [Some(system.total_memory()), group].into_iter().flatten().filter(|&bytes| bytes > 0).min()
}

/// What the process may address (`ulimit -v`), in bytes, where the system tells it as Linux does.
fn address_space() -> Option<u64> {
    limit_in(&fs::read_to_string("/proc/self/limits").ok()?, "Max address space")
}

/// The limit of this name that is in force, in a table of limits as Linux writes it; `None` for an unlimited one.
fn limit_in(table: &str, name: &str) -> Option<u64> {
    table.lines().find_map(|line| line.strip_prefix(name))?.split_whitespace().next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_limit_in_force_is_read_and_an_unlimited_one_is_none() {
        let table = "Limit                     Soft Limit           Hard Limit           Units     \n\
                     Max stack size            8388608              unlimited            bytes     \n\
                     Max address space         unlimited            unlimited            bytes     \n";
        assert_eq!(limit_in(table, "Max stack size"), Some(8_388_608));
        assert_eq!(limit_in(table, "Max address space"), None);
        assert_eq!(limit_in(table, "Max file locks"), None);
    }
}

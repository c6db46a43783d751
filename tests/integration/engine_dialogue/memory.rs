//! Hash table and failing allocations.

#[cfg(target_os = "linux")]
use std::process::Command;

use super::number_after;
use crate::support::dialogue::Dialogue;

#[test]
#[cfg(target_os = "linux")]
fn allocates_hash_lazily() {
    let mut dialogue = Dialogue::begin();
    dialogue.say("uci");
    let max = dialogue.lines_to("uciok").into_iter().find_map(|line| {
        line.strip_prefix("option name Hash type spin default 64 min 1 max ")
            .map(|max| max.parse::<u64>().unwrap())
    });
    let max = max.unwrap();
    assert_eq!(
        dialogue.answers_to(&format!("setoption name Hash value {max}")),
        Vec::<String>::new()
    );
    let error = format!(
        "info string error: invalid value `{}` for option `Hash`: \
         expected a whole number from 1 to {max}",
        max + 1
    );
    assert_eq!(dialogue.answers_to(&format!("setoption name Hash value {}", max + 1)), [error]);
    dialogue.say("go nodes 1000");
    dialogue.line("bestmove");
    let resident = dialogue.status("VmRSS");
    assert!(resident < 50_000, "{resident} KiB of {max} MiB");
}

#[test]
fn depth_search_restarts_with_full_memory() {
    let mut dialogue = Dialogue::begin();
    for line in [
        "setoption name UCI_Variant value kamon",
        "setoption name Hash value 1",
        "position startpos",
    ] {
        dialogue.say(line);
    }
    let mut nodes = || {
        dialogue.say("go depth 1000");
        number_after(
            dialogue.lines_to("bestmove").iter().rfind(|line| line.contains(" nodes ")).unwrap(),
            "nodes",
        )
    };
    let first = nodes();
    let second = nodes();
    assert!(first > 1000 && second > 1000, "{first} nodes, then {second}");
}

#[test]
#[cfg(target_os = "linux")]
fn searches_when_allocation_fails() {
    // Too little for the default, then 64 MiB and 128 MiB more.
    for kib in [90_000, 160_000, 230_000] {
        // The shell limits its own memory and then becomes the engine.
        let limited = format!("ulimit -v {kib}; exec \"$0\" \"$@\"");
        let lines = ["setoption name Hash value 65536", "go nodes 1000"];
        let output = Command::new("sh")
            .args(["-c", &limited, crate::support::program::oshi()])
            .args(lines)
            // Otherwise glibc reserves 128 MiB for a moment whenever another thread first allocates.
            .env("MALLOC_ARENA_MAX", "1")
            .output()
            .unwrap();
        assert!(output.status.success(), "{kib} KiB: {output:?}");
        let text = String::from_utf8(output.stdout).unwrap();
        assert!(text.lines().last().unwrap().starts_with("bestmove "), "{kib} KiB: {text}");
    }
}

#!/usr/bin/env python3
"""Endurance test: hours of matches and dialogues, with engines killed at random times.

    cargo build --release
    python3 tests/soak/soak.py --minutes 120

Linux only; needs only Python's standard library. Two tests run at the same time. In the first,
`basho` plays matches of each variant in turn, two games at once, and engines are killed at random
times. In the second, one engine receives random commands: positions, searches that are stopped or
pondered, other variants, other options. Memory and open files must not grow, only killed engines
may fail, and no process may remain. Prints a table and exits with code 1 after a failure.
"""

import argparse
import collections
import json
import os
import pathlib
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "examples"))
from terminal import Engine  # noqa: E402

# An answer that takes longer counts as a hang, in seconds.
TIMEOUT = 120

# Allowed growth of memory from the middle third of the time to the last, in MiB.
SLACK = 4.0


def resident(pid):
    """The resident set of a process, in MiB."""
    fields = dict(
        line.split(":", 1) for line in pathlib.Path(f"/proc/{pid}/status").read_text().splitlines()
    )
    return int(fields["VmRSS"].split()[0]) / 1024 if "VmRSS" in fields else 0.0


def open_files(pid):
    return len(os.listdir(f"/proc/{pid}/fd"))


def processes():
    """Yields id, parent, state and command line of each process."""
    for entry in os.listdir("/proc"):
        if entry.isdigit():
            try:
                after_name = (
                    pathlib.Path(f"/proc/{entry}/stat").read_text().rpartition(")")[2].split()
                )
                command = pathlib.Path(f"/proc/{entry}/cmdline").read_text().replace("\0", " ")
                yield int(entry), int(after_name[1]), after_name[0], command
            except OSError:
                pass


class Watch:
    """Memory and open files of a process over time."""

    def __init__(self):
        self.memory, self.files = [], []

    def look(self, pid):
        try:
            self.memory.append(resident(pid))
            self.files.append(open_files(pid))
        except OSError:
            pass

    def growth(self, values):
        """Growth of the maximum from the middle third to the last; the first third is warm-up."""
        third = len(values) // 3
        return max(values[-third:]) - max(values[third:-third]) if third else 0

    def faults(self):
        found = []
        if self.growth(self.memory) > SLACK:
            found.append(f"memory grows by {self.growth(self.memory):.1f} MiB")
        if self.growth(self.files) > 0:
            found.append(f"open files grow by {self.growth(self.files)}")
        return found

    def cells(self):
        if not self.memory:
            return "-", "-", "-", "-"
        return (
            f"{max(self.memory):.1f}",
            f"{self.memory[-1]:.1f}",
            str(max(self.files)),
            str(self.files[-1]),
        )


def play(variant, seconds, arguments, folder, rng):
    """Plays a match for `seconds`. Returns a row of the table and the faults."""
    engine = folder / "oshi"
    into = folder / variant
    players = [
        word for name in ("a", "b") for word in ("--engine", f"cmd={engine}", f"name={name}")
    ]
    command = [
        arguments.basho,
        "match",
        *players,
        "--each",
        "nodes=100",
        "option.Hash=1",
        "--variant",
        variant,
        "--concurrency",
        "2",
    ]
    command += [
        "--rounds",
        "1000000",
        "--openings",
        "random_start=true",
        "--ratinginterval",
        "1000000",
        "--into",
        str(into),
    ]
    basho = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    watch, kills, faults, zombies = Watch(), 0, [], set()
    end, next_kill = time.monotonic() + seconds, time.monotonic() + 2
    while time.monotonic() < end and basho.poll() is None:
        time.sleep(0.5)
        watch.look(basho.pid)
        children = [(pid, state) for pid, parent, state, _ in processes() if parent == basho.pid]
        # A process that has just ended may be a zombie for a moment.
        dead = {pid for pid, state in children if state == "Z"}
        faults += [f"{variant}: process {pid} is a zombie" for pid in dead & zombies]
        zombies = dead
        alive = [pid for pid, state in children if state != "Z"]
        if alive and time.monotonic() > next_kill:
            os.kill(rng.choice(alive), signal.SIGKILL)
            kills += 1
            next_kill = time.monotonic() + rng.uniform(2, 10)
    basho.send_signal(signal.SIGINT)
    try:
        errors = basho.communicate(timeout=TIMEOUT)[1]
    except subprocess.TimeoutExpired:
        basho.kill()
        errors = basho.communicate()[1]
        faults.append(f"{variant}: basho does not exit")
    # Read one game at a time: hours of games do not fit into memory.
    reasons, plies = collections.Counter(), 0
    with open(into / "games.jsonl") as records:
        for game in map(json.loads, records):
            reasons[game["reason"]] += 1
            plies += len(game["moves"])
    strange = {
        reason: count for reason, count in reasons.items() if reason not in ("normal", "crash")
    }
    if strange:
        faults.append(f"{variant}: games ended by {strange}")
    if reasons["crash"] > kills:
        faults.append(f"{variant}: {reasons['crash']} crashes after {kills} kills")
    if "panicked" in errors:
        faults.append(f"{variant}: {errors}")
    faults += [f"{variant}: {fault}" for fault in watch.faults()]
    faults += [
        f"{variant}: process remains: {command}"
        for _, _, state, command in processes()
        if str(engine) in command and state != "Z"
    ]
    return (f"basho {variant}", reasons.total(), plies, kills, *watch.cells()), faults


class Talker(threading.Thread):
    """Sends random commands to one engine until `enough` is set."""

    def __init__(self, program, seed):
        super().__init__()
        self.engine = Engine([program])
        self.engine.say("uci")
        declared = [line for line in self.engine.lines_to("uciok") if " UCI_Variant " in line]
        self.variants = declared[0].split(" var ")[1:]
        self.rng = random.Random(seed)
        self.watch, self.faults = Watch(), []
        self.searches = self.lines = 0
        self.enough = threading.Event()

    def say(self, line):
        self.lines += 1
        self.engine.say(line)

    def ready(self):
        """Waits for the engine and returns its lines. An engine that hangs is killed."""
        guard = threading.Timer(TIMEOUT, self.engine.process.kill)
        guard.start()
        answers = self.engine.answers_to("# ready?")
        guard.cancel()
        self.faults += [
            line for line in answers if line.startswith("info string error") and "idle" not in line
        ]
        return answers

    def search(self):
        self.searches += 1
        limit = self.rng.choice(
            [
                "nodes 500",
                "movetime 20",
                "depth 3",
                "btime 300 wtime 300",
                "infinite",
                "ponder nodes 300",
                "mate 2 nodes 300",
            ]
        )
        self.say(f"go {limit}")
        time.sleep(self.rng.random() ** 3 * 0.1)
        if "ponder" in limit and self.rng.random() < 0.5:
            self.say("ponderhit")
        # Has no effect if the search has already ended.
        self.say("stop")
        answers = self.ready()
        if sum(line.startswith("bestmove") for line in answers) != 1:
            self.faults.append(f"go {limit}: {answers}")
        for line in answers:
            if line.startswith("bestmove") and "(none)" not in line:
                self.say("moves " + line.split()[1])

    def other(self):
        rng = self.rng
        self.say(
            rng.choice(
                [
                    "ucinewgame",
                    "uginewgame",
                    "position startpos",
                    f"position random {rng.getrandbits(64)}",
                    "d",
                    "svg",
                    "eval",
                    "query result",
                    "uci",
                    f"setoption name UCI_Variant value {rng.choice(self.variants)}",
                    f"setoption name Hash value {rng.choice([1, 8, 32])}",
                    f"setoption name Threads value {rng.randint(1, 3)}",
                    f"setoption name MultiPV value {rng.randint(1, 4)}",
                    "setoption name Clear Hash",
                    f"setoption name Layout value {rng.choice(['standard', 'turned'])}",
                ]
            )
        )
        self.ready()

    def run(self):
        try:
            while not self.enough.is_set():
                for _ in range(100):
                    self.search() if self.rng.random() < 0.6 else self.other()
                # Measure memory in the same state each time.
                for line in [
                    "setoption name Hash value 8",
                    "setoption name Threads value 1",
                    "ucinewgame",
                ]:
                    self.say(line)
                self.ready()
                self.watch.look(self.engine.process.pid)
            self.engine.quit()
        except (EOFError, OSError) as error:
            self.faults.append(f"the engine has exited or hangs: {error}")
        self.faults += [f"engine: {fault}" for fault in self.watch.faults()]
        if self.engine.process.wait() != 0:
            self.faults.append(f"the engine exited with code {self.engine.process.returncode}")


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--minutes", type=float, default=120)
    parser.add_argument("--engine", default=ROOT / "target/release/oshi")
    parser.add_argument("--basho", default=ROOT / "target/release/basho")
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    for program in (arguments.engine, arguments.basho):
        if not os.access(program, os.X_OK):
            parser.error(f"program `{program}` not found: run `cargo build --release` first")
    rng = random.Random(arguments.seed)
    faults = []
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(temporary)
        # A unique path, so that remaining processes can be found.
        shutil.copy(arguments.engine, folder / "oshi")
        talker = Talker(str(arguments.engine), arguments.seed)
        talker.start()
        form = "{:<24} {:>7} {:>9} {:>6} {:>9} {:>9} {:>6} {:>6}"
        print(
            form.format("what", "games", "plies", "kills", "peak MiB", "last MiB", "files", "last")
        )
        for variant in talker.variants:
            row, found = play(
                variant, arguments.minutes * 60 / len(talker.variants), arguments, folder, rng
            )
            faults += found
            print(form.format(*row), flush=True)
        talker.enough.set()
        talker.join()
        print(
            form.format(
                "dialogue: searches, lines",
                talker.searches,
                talker.lines,
                "-",
                *talker.watch.cells(),
            )
        )
        faults += talker.faults
    print(f"faults: {len(faults)}")
    print("\n".join(faults[:20]))
    sys.exit(1 if faults else 0)


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""Checks that basho blames the right party: signals, shortages, replaced programs, daemons, load.

    cargo build --release
    python3 tests/soak/faults.py signals|shortage|replaced|daemons|busy [--trials N] [--seed N]

Linux only. Plays with the real programs in a temporary folder and prints a line for each trial.
Exits with code 1 if a trial contradicts the documentation of basho.
"""

import argparse
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
# OSHI_BUILD=target/debug uses the programs built by `cargo test`.
BUILD = ROOT / os.environ.get("OSHI_BUILD", "target/release")
BASHO, OSHI = BUILD / "basho", BUILD / "oshi"


def match(folder, engines, each, rounds, concurrency=2, seed=7):
    words = [BASHO, "match"]
    for engine in engines:
        words += ["--engine", *engine]
    words += ["--each", *each, "--openings", "random_start=true", "random_plies=2", "--seed", seed]
    return [
        str(word)
        for word in [*words, "--rounds", rounds, "--concurrency", concurrency, "--into", folder]
    ]


def two(path=OSHI, hash_size=1):
    return [[f"cmd={path}", f"name={name}", f"option.Hash={hash_size}"] for name in ("a", "b")]


def records(folder):
    games = [json.loads(line) for line in (folder / "games.jsonl").read_text().splitlines()]
    for game in games:
        for move in game["moves"]:
            for key in ("ms", "overrun_ms", "cpu_ms"):
                move[key + "_"] = move.pop(key, None)
    return games


def counted(folder):
    """Completed games in order, without times and other values that vary between runs."""
    games = sorted(
        (game for game in records(folder) if game["reason"] != "interrupted"),
        key=lambda game: game["game"],
    )
    for game in games:
        game.pop("replayed", None)
        for move in game["moves"]:
            for key in ("ms_", "overrun_ms_", "cpu_ms_"):
                move.pop(key)
    return games


def faults(folder):
    return [game for game in records(folder) if game["reason"] not in ("normal", "interrupted")]


def processes():
    """Parents of all processes."""
    parents = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                parents[int(entry.name)] = int(
                    (entry / "stat").read_text().rsplit(")", 1)[1].split()[1]
                )
            except (OSError, IndexError):
                pass
    return parents


def family(root):
    parents, found = processes(), [root]
    for process in found:
        found += [child for child, parent in parents.items() if parent == process]
    return found


def quiet(words, **more):
    return subprocess.run(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, **more)


def signals(temp, trials, rng):
    """Resumed tournaments equal uninterrupted ones.

    Sends a signal to all processes at a random time, in random order.
    """
    plan = dict(engines=two(), each=["nodes=300"], rounds=20)
    started = time.monotonic()
    quiet(match(temp / "whole", **plan), check=True)
    length = time.monotonic() - started
    whole = counted(temp / "whole")
    wrong = broken = interrupted = 0
    for trial in range(trials):
        kind = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)[trial % 3]
        folder = temp / f"trial{trial}"
        process = subprocess.Popen(
            match(folder, **plan), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        # Mostly during play: a tournament that has ended ignores the signal.
        time.sleep(rng.uniform(0, 0.8 * length))
        if process.poll() is None:
            targets = family(process.pid)
            rng.shuffle(targets)
            for target in targets:
                try:
                    os.kill(target, kind)
                except ProcessLookupError:
                    pass
                # Sometimes the signal reaches the processes one after the other.
                time.sleep(rng.choice([0, 0, 0.02]))
            broken += 1
        process.wait()
        if not folder.exists():
            quiet(match(folder, **plan), check=True)
        while quiet([BASHO, "resume", folder]).returncode == 130:
            pass
        interrupted += sum(game["reason"] == "interrupted" for game in records(folder))
        is_same = counted(folder) == whole
        if faults(folder) or not is_same:
            wrong += 1
            print(
                f"trial {trial}, {kind.name}: same games: {is_same}, faults: "
                f"{[game['detail'] for game in faults(folder)]}"
            )
        shutil.rmtree(folder)
    print(
        f"signals: {trials} trials, {broken} interrupted with {interrupted} games; {wrong} failed"
    )
    return wrong == 0


def shortage(temp, trials, rng):
    """Too few open files for the concurrency cost no game."""
    plan = dict(engines=two(), each=["nodes=300"], rounds=20, concurrency=6)
    quiet(match(temp / "whole", **plan), check=True)
    good = True
    for limit in (24, 16, 12, 10):
        folder = temp / f"limit{limit}"
        words = ["sh", "-c", f'ulimit -n {limit}; exec "$@"', "sh", *match(folder, **plan)]
        run = subprocess.run(words, capture_output=True, text=True)
        output = [line for line in run.stderr.splitlines() if "games at once on" not in line]
        if folder.exists():
            lost, played = faults(folder), len(counted(folder))
            quiet([BASHO, "resume", folder])
            is_same = counted(folder) == counted(temp / "whole")
        else:
            lost, played, is_same = [], 0, True
        print(
            f"ulimit -n {limit}: code {run.returncode}, {played} of 40 played, {len(lost)} lost; "
            f"same games after resume: {is_same}"
        )
        print("\n".join(f"    {line}" for line in output[-3:]))
        good &= (
            not lost
            and is_same
            and run.returncode in (0, 64, 74, 75)
            and (run.returncode == 0 or bool(output))
        )
    return good


def replaced(temp, trials, rng):
    """Replacing the engine's file stops the tournament without losses.

    The file becomes a weaker program, is deleted, becomes unusable, or is replaced by a copy.
    """
    good = True
    for what in ("another build", "gone", "no program", "the same again"):
        program, folder = temp / "engine", temp / what.replace(" ", "-")
        shutil.copy(OSHI, program)
        # A round robin of three engines restarts processes at each change of pairing.
        engines = [[f"cmd={program}", f"name={name}", "option.Hash=1"] for name in "abc"]
        process = subprocess.Popen(
            match(folder, engines, ["nodes=300"], 40),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
        )
        while not folder.exists() or len(counted_lines(folder)) < 10:
            time.sleep(0.01)
        program.unlink()
        if what == "another build":
            program.write_text(
                f'#!/bin/sh\nexec {OSHI} "setoption name UCI_LimitStrength value true"\n'
            )
            program.chmod(0o755)
        elif what == "no program":
            program.write_bytes(b"\x7fELF half a file")
            program.chmod(0o755)
        elif what == "the same again":
            shutil.copy(OSHI, program)
        output = [
            line for line in process.communicate()[1].splitlines() if not line.startswith("Warning")
        ]
        lost, before = faults(folder), len(counted(folder))
        refused = quiet([BASHO, "resume", folder]).returncode
        program.unlink(missing_ok=True)
        shutil.copy(OSHI, program)
        resumed = quiet([BASHO, "resume", folder]).returncode
        print(
            f"{what}: code {process.returncode}, {before} of 240 played, {len(lost)} lost; "
            f"resume exits with {refused}, after restoring the file with {resumed}; "
            f"{len(counted(folder))} games"
        )
        print("\n".join(f"    {line}" for line in output))
        codes = (0, 0, 0) if what == "the same again" else (75, 75, 0)
        good &= (
            not lost
            and (process.returncode, refused, resumed) == codes
            and len(counted(folder)) == 240
        )
    return good


def counted_lines(folder):
    return (folder / "games.jsonl").read_text().splitlines()


DAEMONS = """#!/usr/bin/env python3
import os, sys, time
def away(how):
    if os.fork() == 0:
        if how in ("setsid", "daemon", "clean"):
            os.setsid()
        if how == "setpgid":
            os.setpgid(0, 0)
        if how in ("daemon", "clean") and os.fork() != 0:
            os._exit(0)
        if how in ("daemon", "clean"):
            null = os.open("/dev/null", os.O_RDWR)
            for number in range(3):
                os.dup2(null, number)
        environment = {} if how == "clean" else os.environ
        os.execve("/bin/sleep", ["sleep", sys.argv[1]], environment)
for line in sys.stdin:
    word = line.split()[0]
    if word == "uci":
        print("uciok", flush=True)
    elif word == "isready":
        print("readyok", flush=True)
    elif word == "go":
        for how in ("setsid", "setpgid", "daemon", "clean"):
            away(how)
        print("bestmove a1a5", flush=True)
    elif word == "quit":
        break
"""


def daemons(temp, trials, rng):
    """Engines' child processes end with basho.

    They leave their process group, their session, their parent and their environment.
    """
    left = 0
    for trial in range(trials):
        program, folder = temp / "daemons.py", temp / f"trial{trial}"
        program.write_text(DAEMONS)
        program.chmod(0o755)
        seconds = str(100_000 + rng.randrange(10_000) * 100 + trial)
        engines = [[f"cmd={program}", f"args={seconds}", "name=daemons"], ["cmd=builtin:random"]]
        quiet(match(folder, engines, ["movetime=60000"], 4, 3), check=True)
        # No grace period: all processes must end with basho.
        found = [
            line
            for line in subprocess.run(
                ["ps", "-eo", "args"], capture_output=True, text=True
            ).stdout.splitlines()
            if seconds in line
        ]
        left += len(found)
    print(f"daemons: {trials} tournaments of 8 games, {left} processes left")
    return left == 0


SLOW = """#!/usr/bin/env python3
import sys, time
def sleep():
    time.sleep(0.5)
def work():
    started = time.thread_time()
    while time.thread_time() - started < 0.15:
        pass
for line in sys.stdin:
    word = line.split()[0]
    if word == "uci":
        print("uciok", flush=True)
    elif word == "isready":
        print("readyok", flush=True)
    elif word == "go":
        {"sleep": sleep, "work": work}[sys.argv[1]]()
        print("bestmove (none)", flush=True)
    elif word == "quit":
        break
"""


def slow(temp, what, games):
    """Games of an engine that sleeps 500 ms or works 150 ms per move, with 200 ms allowed."""
    program, folder = temp / "slow.py", temp / what
    program.write_text(SLOW)
    engine = [f"cmd={sys.executable}", f"args={program} {what}", f"name={what}", "movetime=200"]
    quiet(
        match(folder, [engine, ["cmd=builtin:random"]], ["timemargin=20"], games // 2, 1),
        check=True,
    )
    return records(folder)


def busy(temp, trials, rng):
    """On a busy machine, an engine loses on time only through its own delay."""
    burners = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(4)]
    try:
        slept, starved = slow(temp, "sleep", 50), slow(temp, "work", 10)
        folder = temp / "busy"
        started = time.monotonic()
        quiet(match(folder, two(), ["tc=1+0.01"], trials, 2, rng.randrange(1 << 31)), check=True)
        took = time.monotonic() - started
    finally:
        for burner in burners:
            burner.kill()
    excused = [game for game in slept if game["reason"] != "timeout" or game.get("replayed")]
    print(
        f"sleeping engine: {len(slept)} games, {len(slept) - len(excused)} lost on time, "
        f"{len(excused)} excused or won"
    )
    waited = [
        game
        for game in starved
        if any("waited for a processor" in ending for ending in game.get("replayed", []))
    ]
    blamed = [game for game in starved if game["reason"] == "timeout" and not game.get("replayed")]
    print(
        f"starved engine: {len(starved)} games, {len(waited)} replayed, "
        f"{len(blamed)} lost on time without a replay"
    )
    games = records(folder)
    late = [game for game in games if game["reason"] == "timeout"]
    replayed = [ending for game in games for ending in game.get("replayed", [])]
    overruns = [
        move["overrun_ms_"] for game in games for move in game["moves"] if move["overrun_ms_"]
    ]
    print(
        f"busy: {len(games)} games in {took:.0f} s, {len(late)} lost on time, "
        f"{len(replayed)} replayed, {len(overruns)} overruns, "
        f"the longest {max(overruns, default=0):.0f} ms"
    )
    for game in late:
        last = game["moves"][-1]
        print(
            f"    game {game['game']}: {game['detail']}; {last['ms_']:.0f} ms, "
            f"processor time {last['cpu_ms_']:.0f} ms"
        )
    for ending in replayed:
        print(f"    replayed: {ending}")
    # Late because of its own work, or in every replay too, as the record then says.
    owned = all(
        game["moves"][-1]["cpu_ms_"] >= 0.5 * game["moves"][-1]["ms_"]
        or "games before" in game["detail"]
        for game in late
    )
    is_fair = not excused and len(slept) == 50 and waited and not blamed
    return (
        bool(is_fair) and owned and all(game["reason"] in ("normal", "timeout") for game in games)
    )


def main():
    tasks = {task.__name__: task for task in (signals, shortage, replaced, daemons, busy)}
    defaults = {"signals": 50, "daemons": 3, "busy": 100}
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("task", choices=tasks)
    parser.add_argument("--trials", type=int, help="number of trials; for `busy`, of game pairs")
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as temp:
        trials = args.trials or defaults.get(args.task, 1)
        sys.exit(0 if tasks[args.task](Path(temp), trials, random.Random(args.seed)) else 1)


if __name__ == "__main__":
    main()

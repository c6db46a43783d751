#!/usr/bin/env python3
"""Summarises tournaments of this folder as a Markdown table: what each mechanism gains.

    python3 tournaments/ablation/summary.py RUN...

RUN is a folder that `basho run tournaments/ablation/FILE.toml` made. The score is that of the
engine `without` the mechanism. Needs Python 3.11 and a build of basho: that in `target/release`,
or in the folder that the variable `OSHI_BUILD` names.
"""

import os
import pathlib
import re
import subprocess
import sys
import tomllib

ROOT = pathlib.Path(__file__).resolve().parents[2]
BASHO = ROOT / os.environ.get("OSHI_BUILD", "target/release") / "basho"
HEADINGS = (
    "mechanism off",
    "variant",
    "limit",
    "games",
    "score without %",
    "95 % interval",
    "LLR",
    "verdict",
    "faults",
)
LIMITS = {"tc": "tc {}", "movetime": "{} ms", "nodes": "{} nodes", "depth": "depth {}"}
VERDICTS = {
    "completed - H0 was accepted": "gains: keep it",
    "completed - H1 was accepted": "no gain: remove it",
    "undecided after all games": "undecided",
    "ended without a verdict": "none: ended by a fault",
}
Z_95 = 1.959964


class Fault(Exception):
    """A run that cannot be summarised."""


def read_tournament(run):
    """The tournament of a run, from its manifest."""
    path = run / "tournament.toml"
    try:
        with path.open("rb") as file:
            tournament = tomllib.load(file)["tournament"]
        names = [engine["name"] for engine in tournament["engine"]]
    except OSError as fault:
        raise Fault(f"{path}: {fault.strerror}") from None
    except UnicodeDecodeError:
        raise Fault(f"{path}: expected UTF-8") from None
    except tomllib.TOMLDecodeError as fault:
        raise Fault(f"{path}: {fault}") from None
    except (KeyError, TypeError):
        raise Fault(f"{path}: expected a tournament with named engines") from None
    if names != ["without", "with"]:
        raise Fault(f"{path}: expected the engines `without` and `with`, in this order")
    if "sprt" not in tournament:
        raise Fault(f"{path}: expected a sequential test")
    return tournament


def mechanism(tournament):
    """The options that only the engine without the mechanism has, such as `payoffs = false`."""
    without, kept = (engine.get("option", {}).items() for engine in tournament["engine"])
    return ", ".join(f"`{name} = {value}`" for name, value in without if (name, value) not in kept)


def limit(tournament):
    """The limits of a search in words, and the threads if there are several."""
    shared = tournament["each"]
    # A limit of its own replaces the shared limits of an engine.
    without, kept = (
        [text.format(table[key]) for key, text in LIMITS.items() if key in table]
        for table in (
            engine if LIMITS.keys() & engine.keys() else shared for engine in tournament["engine"]
        )
    )
    if without != kept:
        raise Fault("expected the same limits for both engines")
    options = {**shared.get("option", {}), **tournament["engine"][0].get("option", {})}
    threads = options.get("Threads", "1")
    return ", ".join(without + ([] if threads == "1" else [f"{threads} threads"]))


def report(run):
    """What `basho report` prints about a run. It validates all records."""
    try:
        done = subprocess.run([BASHO, "report", run], capture_output=True, check=False)
    except OSError as fault:
        raise Fault(f"{BASHO}: {fault.strerror}; expected a build of basho") from None
    if done.returncode != 0:
        lines = done.stderr.decode(errors="replace").strip().splitlines() or ["no message"]
        message = re.sub("^(Warning|Error): ", "", lines[0])
        raise Fault(message.replace(f"{run}: line", f"{run / 'games.jsonl'}: line", 1))
    return done.stdout.decode(errors="replace")


def interval(text, pairs):
    """The 95 % interval of the score in percent: Wilson's if the report has it, as for few pairs,
    else from the variance of pairs."""
    if found := re.search(r"^Score: 95 % interval ([\d.]+) % to ([\d.]+) %", text, re.MULTILINE):
        return tuple(map(float, found.groups()))
    count = sum(pairs)
    mean = sum(i * n for i, n in enumerate(pairs)) / count / 4
    variance = sum(n * (i / 4 - mean) ** 2 for i, n in enumerate(pairs)) / count
    reach = Z_95 * (variance / count) ** 0.5
    return 100 * (mean - reach), 100 * (mean + reach)


def verdict(text):
    """The verdict of the sequential test in words."""
    found = re.search(r"^SPRT \(.*?\]\) (.*), \d+ fault", text, re.MULTILINE)
    if not found:
        return "not finished"
    return next(words for end, words in VERDICTS.items() if found[1].startswith(end))


def summary(run):
    """The cells of a run."""
    tournament = read_tournament(run)
    text = report(run)
    try:
        off, searched = mechanism(tournament), limit(tournament)
    except (AttributeError, Fault, KeyError, TypeError) as fault:
        raise Fault(f"{run / 'tournament.toml'}: {fault}") from None
    games = int(re.search(r"^Games: (\d+)", text, re.MULTILINE)[1])
    counts = re.search(r"^Ptnml\(0-2\): \[(.*?)\]", text, re.MULTILINE)[1]
    pairs = [int(count) for count in counts.split(",")]
    score = span = "n/a"
    if games > 0:
        score = f"{100 * sum(i * n for i, n in enumerate(pairs)) / (2 * games):.1f}"
        span = "{:.1f} to {:.1f}".format(*interval(text, pairs))
    llr = re.search(r"^LLR: (\S+)", text, re.MULTILINE)[1]
    faults = sum(map(int, re.findall(r"^Faults of \w+: (\d+)", text, re.MULTILINE)))
    variant = tournament["variant"].removeprefix("kamisado-")
    return [off, variant, searched, games, score, span, llr, verdict(text), faults]


def main(arguments):
    """Runs the command line and returns the exit code."""
    if not arguments or arguments[0].startswith("-"):
        print(__doc__, file=sys.stderr)
        return 64
    try:
        rows = [summary(pathlib.Path(run)) for run in arguments]
    except Fault as fault:
        print(f"error: {fault}", file=sys.stderr)
        return 1
    for row in [HEADINGS, ["---"] * len(HEADINGS), *rows]:
        print("| " + " | ".join(map(str, row)) + " |")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

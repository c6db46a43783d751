#!/usr/bin/env python3
"""Runs the examples of docs/cluster.md in Slurm and GNU parallel, and validates the Kubernetes one.

    apt-get install slurm-wlm munge parallel
    python3 -m venv venv && venv/bin/pip install -r basho/tests/cluster/requirements.txt
    venv/bin/python basho/tests/cluster/cluster.py all|slurm|parallel|kubernetes
        [--programs target/release] [--seed N]

Linux only. Slurm's daemons get their own configuration, key and ports, and are stopped at the end.
All files are in a temporary folder. Each trial prints a line. Exits with code 1 if a trial fails,
and with code 2 if one could not be run.
"""

import argparse
import json
import os
import random
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from getpass import getuser
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
PAGE = ROOT / "docs/cluster.md"
SHARDS = 8
GAMES = """
rounds = 16
seed = 1
concurrency = 2
openings = { random_start = true, random_plies = 2 }
[[engine]]
name = "more"
cmd = "target/release/oshi"
nodes = 300
option = { Hash = 1 }
[[engine]]
name = "less"
cmd = "target/release/oshi"
nodes = 100
option = { Hash = 1 }
[[engine]]
name = "greedy"
cmd = "builtin:greedy"
"""
# Decided after a few dozen pairs, although the games would last for days.
TEST = """
rounds = 1000000
seed = 1
openings = { random_start = true, random_plies = 2 }
sprt = { elo0 = 0, elo1 = 40 }
[[engine]]
name = "engine"
cmd = "target/release/oshi"
nodes = 300
option = { Hash = 1 }
[[engine]]
name = "greedy"
cmd = "builtin:greedy"
"""


class Skipped(Exception):
    pass


def block(heading, number=0):
    """A code block of the document."""
    section = PAGE.read_text().split(f"\n## {heading}\n")[1].split("\n## ")[0]
    return re.findall(r"^```\w*\n(.*?)^```$", section, re.M | re.S)[number]


def needs(*programs):
    missing = [name for name in programs if not shutil.which(name)]
    if missing:
        raise Skipped(f"not found: {', '.join(missing)}")


def lay_out(folder, programs, tournament):
    """Creates the folder that the examples expect, with programs and tournament."""
    (folder / "target/release").mkdir(parents=True)
    for name in ("oshi", "basho"):
        (folder / "target/release" / name).symlink_to((programs / name).resolve())
    (folder / "tournaments").mkdir()
    (folder / "tournaments/gauntlet.toml").write_text(tournament)
    return folder


def run(words, folder, check=True, **more):
    done = subprocess.run(
        [str(word) for word in words], cwd=folder, capture_output=True, text=True, **more
    )
    if check and done.returncode != 0:
        raise AssertionError(
            f"{words}: code {done.returncode}\n{done.stdout[-2000:]}{done.stderr[-2000:]}"
        )
    return done


def records(folder):
    try:
        return [
            json.loads(line)
            for line in (folder / "games.jsonl").read_text().splitlines()
            if line.endswith("}")
        ]
    except FileNotFoundError:
        return []


def games(folder):
    """Completed games by number, with moves and results."""
    counted = {}
    for game in records(folder):
        if game["reason"] != "interrupted":
            assert game["game"] not in counted, f"game {game['game']} occurs twice in {folder}"
            moves = [move["move"] for move in game["moves"]]
            counted[game["game"]] = (
                game["black"],
                game["white"],
                game["opening"],
                moves,
                game["result"],
                game["reason"],
            )
    return counted


def played(folder):
    return sum(len(records(part)) for part in (folder / "parts").glob("*"))


def wait_until(condition, what, limit=600):
    end = time.monotonic() + limit
    while not condition():
        if time.monotonic() > end:
            raise AssertionError(f"timeout after {limit} s: expected that {what}")
        time.sleep(0.1)


class Slurm:
    """Slurm with two nodes on this machine."""

    def __init__(self, folder):
        needs("munged", "slurmctld", "slurmd", "sbatch", "scontrol", "scancel", "squeue")
        self.folder, self.daemons, self.nodes = folder, {}, ["one", "two"]
        for name in ("munge", "state", "spool", "log"):
            (folder / name).mkdir(parents=True)
        key, munge = folder / "munge.key", folder / "munge"
        key.write_bytes(os.urandom(128))
        key.chmod(0o400)
        munge.chmod(0o755)
        self.munge = munge / "socket"
        words = [
            "munged",
            "--force",
            "--foreground",
            f"--key-file={key}",
            f"--socket={self.munge}",
            f"--pid-file={munge}/pid",
        ]
        self.start("munged", [*words, f"--log-file={munge}/log", f"--seed-file={munge}/seed"])
        wait_until(self.munge.exists, "munged answers", 30)
        host = socket.gethostname().split(".")[0]
        ports = self.free_ports(1 + len(self.nodes))
        lines = [
            "ClusterName=basho",
            f"SlurmctldHost={host}(127.0.0.1)",
            f"SlurmUser={getuser()}",
            f"SlurmdUser={getuser()}",
            "AuthType=auth/munge",
            "CryptoType=crypto/munge",
            # A requeued job waits until its credential expires.
            f"AuthInfo=socket={self.munge},cred_expire=5",
            f"SlurmctldPort={ports[0]}",
            f"SlurmctldPidFile={folder}/slurmctld.pid",
            f"SlurmdPidFile={folder}/slurmd.%n.pid",
            f"SlurmctldLogFile={folder}/log/slurmctld",
            f"SlurmdLogFile={folder}/log/slurmd.%n",
            f"StateSaveLocation={folder}/state",
            f"SlurmdSpoolDir={folder}/spool/%n",
            "ProctrackType=proctrack/linuxproc",
            "TaskPlugin=task/none",
            "SelectType=select/cons_tres",
            "SelectTypeParameters=CR_CPU",
            "SlurmdParameters=config_overrides",
            "MpiDefault=none",
            "JobRequeue=1",
            "ReturnToService=2",
            "SlurmdTimeout=10",
            "KillWait=5",
            "MailProg=/bin/true",
        ]
        for name, port in zip(self.nodes, ports[1:]):
            lines.append(
                f"NodeName={name} NodeHostname={host} NodeAddr=127.0.0.1 Port={port} CPUs=4 "
                "State=UNKNOWN"
            )
        lines.append(
            f"PartitionName=all Nodes={','.join(self.nodes)} Default=YES MaxTime=INFINITE State=UP"
        )
        (folder / "slurm.conf").write_text("\n".join(lines) + "\n")
        self.environment = {**os.environ, "SLURM_CONF": str(folder / "slurm.conf")}
        self.start("slurmctld", ["slurmctld", "-D", "-c"])
        for name in self.nodes:
            self.start_node(name)
        wait_until(
            lambda: self.ask("sinfo", "-h", "-o", "%T").split() == ["idle"],
            "the nodes are idle",
            60,
        )

    @staticmethod
    def free_ports(count):
        sockets = [socket.socket() for _ in range(count)]
        for each in sockets:
            each.bind(("127.0.0.1", 0))
        ports = [each.getsockname()[1] for each in sockets]
        for each in sockets:
            each.close()
        return ports

    def start(self, name, words):
        log = open(self.folder / "log" / f"{name}.output", "ab")
        self.daemons[name] = subprocess.Popen(
            words,
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            env=getattr(self, "environment", None),
            start_new_session=True,
        )

    def start_node(self, name):
        self.start(name, ["slurmd", "-D", "-N", name])

    def ask(self, *words):
        return run(words, self.folder, check=False, env=self.environment).stdout

    def sbatch(self, folder, script):
        (folder / "play.sbatch").write_text(script)
        return run(
            ["sbatch", "--parsable", "play.sbatch"], folder, env=self.environment
        ).stdout.strip()

    def tasks(self, array, *states):
        """Numbers of an array's tasks that have not ended, limited to the given states if any."""
        lines = self.ask("squeue", "-h", "-r", "-j", array, "-o", "%K %T").splitlines()
        return [int(line.split()[0]) for line in lines if not states or line.split()[1] in states]

    def finish(self, array):
        wait_until(lambda: not self.tasks(array), f"array {array} has ended")

    def steps(self, name):
        """The processes of a node's jobs: the step daemons and their descendants."""
        parents = {}
        for entry in Path("/proc").iterdir():
            if entry.name.isdigit():
                try:
                    parents[int(entry.name)] = int(
                        (entry / "stat").read_text().rsplit(")", 1)[1].split()[1]
                    )
                except (OSError, IndexError):
                    pass
        found = []
        for process in parents:
            try:
                words = Path(f"/proc/{process}/environ").read_bytes().split(b"\0")
            except OSError:
                continue
            if (
                f"SLURMD_NODENAME={name}".encode() in words
                and f"SLURM_CONF={self.folder}/slurm.conf".encode() in words
            ):
                found.append(process)
        stepds = {
            parents[process]
            for process in found
            if parents[process] not in found and parents[process] != 1
        }
        return [*stepds, *found]

    def close(self):
        for daemon in reversed(self.daemons.values()):
            daemon.terminate()
        for daemon in self.daemons.values():
            try:
                daemon.wait(20)
            except subprocess.TimeoutExpired:
                daemon.kill()


def slurm(temp, programs, rng):
    whole = lay_out(temp / "unbroken", programs, GAMES)
    run(["target/release/basho", "run", "tournaments/gauntlet.toml", "--into", "whole"], whole)
    unbroken = games(whole / "whole")
    script = block("Slurm")
    merge = re.search(r"--wrap '(.*)'", block("Slurm", 1)).group(1)
    cluster = Slurm(temp / "slurm")

    def compare(name, folder, what):
        run(["sh", "-c", merge], folder)
        is_same = games(folder / "whole") == unbroken
        interrupted = played(folder) - len(unbroken)
        waited = sum(
            "waiting until it ends" in log.read_text() for log in folder.glob("slurm-*.out")
        )
        print(
            f"slurm, {name}: {what}; {interrupted} games interrupted, "
            f"{waited} tasks waited for another; same games as without interruption: {is_same}"
        )
        sys.stdout.flush()
        return is_same

    def array():
        folder = lay_out(temp / "array", programs, GAMES)
        cluster.finish(cluster.sbatch(folder, script))
        return compare("array", folder, f"{SHARDS} tasks on {len(cluster.nodes)} nodes")

    def requeue():
        folder = lay_out(temp / "requeue", programs, GAMES)
        job = cluster.sbatch(folder, script)
        count = 0
        for _ in range(10):
            before = played(folder)
            wait_until(
                lambda: played(folder) > before or not cluster.tasks(job), "another game is played"
            )
            running = cluster.tasks(job, "RUNNING")
            if running:
                cluster.ask("scontrol", "requeue", f"{job}_{rng.choice(running)}")
                count += 1
        cluster.finish(job)
        return compare("scontrol requeue", folder, f"{count} tasks requeued") and count > 0

    def cancel():
        folder = lay_out(temp / "cancel", programs, GAMES)
        for more in (5, 20, 10):
            job, goal = cluster.sbatch(folder, script), played(folder) + more
            wait_until(lambda: played(folder) >= goal or not cluster.tasks(job), "games are played")
            cluster.ask("scancel", *(["--signal=KILL"] if more == 20 else []), job)
            cluster.finish(job)
        cluster.finish(cluster.sbatch(folder, script))
        return compare("scancel", folder, "an array cancelled three times, once with SIGKILL")

    def lose(name, takes_jobs):
        folder = lay_out(temp / name.replace(" ", "-"), programs, GAMES)
        job = cluster.sbatch(folder, script)
        wait_until(lambda: played(folder) >= 10, "games are played")
        node = cluster.nodes[0]
        running = cluster.ask(
            "squeue", "-h", "-r", "-j", job, "-t", "RUNNING", "-w", node, "-o", "%K"
        ).split()
        cluster.daemons[node].kill()
        cluster.daemons[node].wait()
        for process in cluster.steps(node) if takes_jobs else []:
            try:
                os.kill(process, signal.SIGKILL)
            except ProcessLookupError:
                pass
        wait_until(
            lambda: "down" in cluster.ask("sinfo", "-h", "-N", "-n", node, "-o", "%T"),
            f"node {node} is down",
            120,
        )
        cluster.start_node(node)
        cluster.finish(job)
        return compare(
            name, folder, f"node {node} failed with {len(running)} tasks and returned"
        ) and bool(running)

    def test():
        folder = lay_out(temp / "test", programs, TEST)
        alone = run(
            ["target/release/basho", "run", "tournaments/gauntlet.toml", "--into", "alone"],
            folder,
            check=False,
        )
        parts = [f"parts/{index}" for index in range(1, 5)]
        watch = subprocess.Popen(
            ["target/release/basho", "watch", *parts], cwd=folder, stdout=subprocess.PIPE, text=True
        )
        job = cluster.sbatch(folder, script.replace("1-8", "1-4").replace("/8", "/4"))
        output, _ = watch.communicate()
        decided = time.monotonic()
        wait_until(lambda: not cluster.tasks(job, "RUNNING"), "all tasks have stopped", 120)
        seconds = time.monotonic() - decided
        codes = re.findall(r"ExitCode=(\S+)", cluster.ask("scontrol", "show", "job", job))
        rule = "-" * 50 + "\n"
        is_same = (
            output.split(rule)[-2] == alone.stdout.split(rule)[-2]
            and watch.returncode == alone.returncode
        )
        print(
            f"slurm, test: code {watch.returncode}; 4 shards stopped {seconds:.1f} s "
            f"after the decision with {sorted(set(codes))}; {played(folder)} games, "
            f"{len(records(folder / 'alone'))} by one process; same decision: {is_same}",
            flush=True,
        )
        return is_same and set(codes) == {"0:0"}

    try:
        trials = [
            array,
            requeue,
            cancel,
            lambda: lose("slurmd killed", False),
            lambda: lose("node lost", True),
            test,
        ]
        return all([trial() for trial in trials])
    finally:
        cluster.close()


def parallel(temp, programs, rng):
    needs("parallel")
    folder = lay_out(temp / "parallel", programs, GAMES)
    run(["target/release/basho", "run", "tournaments/gauntlet.toml", "--into", "unbroken"], folder)
    # Run all jobs on this machine.
    script = re.sub(r"--sshlogin \S+", "--sshlogin :", block("GNU parallel")).replace(
        "--jobs 1", "--jobs 2"
    )
    script = script.replace("target/release/basho run", f"{folder}/target/release/basho run")
    process = subprocess.Popen(
        ["bash", "-ec", script], cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    kills = 0
    for _ in range(5):
        before = played(folder)
        wait_until(
            lambda: played(folder) > before or process.poll() is not None, "another game is played"
        )
        found = run(
            ["pgrep", "-f", f"^{folder}/target/release/basho run"], folder, check=False
        ).stdout.split()
        if found:
            os.kill(int(rng.choice(found)), signal.SIGKILL)
            kills += 1
    code = process.wait()
    is_same = games(folder / "whole") == games(folder / "unbroken")
    print(
        f"parallel: code {code}, {kills} processes killed and retried; "
        f"same games as without interruption: {is_same}"
    )
    return code == 0 and is_same and kills > 0


def kubernetes(temp, programs, rng):
    try:
        import kubernetes_validate
        import yaml
    except ImportError as error:
        raise Skipped(f"{error}; install basho/tests/cluster/requirements.txt")
    manifest = yaml.safe_load(block("Kubernetes"))
    version = kubernetes_validate.latest_version()
    kubernetes_validate.validate(manifest, version, strict=True)
    # Run the command of each pod with its index. Some are killed and retried.
    folder = lay_out(temp / "kubernetes", programs, GAMES)
    run(["target/release/basho", "run", "tournaments/gauntlet.toml", "--into", "unbroken"], folder)
    container = manifest["spec"]["template"]["spec"]["containers"][0]
    words = [
        *container["command"],
        *(word.replace("/records", str(folder / "parts")) for word in container["args"]),
    ]
    kills = 0
    for index in range(manifest["spec"]["completions"]):
        pod = {
            **os.environ,
            "PATH": f"{folder}/target/release:{os.environ['PATH']}",
            "JOB_COMPLETION_INDEX": str(index),
        }
        process = subprocess.Popen(
            words, cwd=folder, env=pod, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        part, goal = folder / "parts" / str(index), rng.randrange(4)
        wait_until(
            lambda: len(records(part)) >= goal or process.poll() is not None, "games are played"
        )
        # Kubernetes sends SIGTERM first, and SIGKILL if the pod does not end.
        process.send_signal(rng.choice([signal.SIGTERM, signal.SIGKILL]))
        kills += process.wait() != 0
        run(words, folder, env=pod)
    run(["sh", "-c", "target/release/basho merge parts/[0-9]* --into whole"], folder)
    is_same = games(folder / "whole") == games(folder / "unbroken")
    print(
        f"kubernetes: valid by the schema of {version}; {kills} pods ended and retried; "
        f"same games as without interruption: {is_same}"
    )
    return is_same and kills > 0


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("what", choices=["all", "slurm", "parallel", "kubernetes"])
    parser.add_argument("--programs", type=Path, default=ROOT / "target/release")
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    rng = random.Random(arguments.seed)
    wanted = (
        [slurm, parallel, kubernetes] if arguments.what == "all" else [globals()[arguments.what]]
    )
    is_good = is_whole = True
    for each in wanted:
        temp = Path(tempfile.mkdtemp(prefix="cluster-"))
        try:
            is_good &= each(temp, arguments.programs, rng)
            shutil.rmtree(temp)
        except Skipped as reason:
            print(f"{each.__name__}: SKIPPED, {reason}")
            is_whole = False
            shutil.rmtree(temp)
        except BaseException:
            print(f"{each.__name__}: files kept in {temp}", file=sys.stderr)
            raise
    sys.exit(0 if is_good and is_whole else 2 if is_good else 1)


if __name__ == "__main__":
    main()

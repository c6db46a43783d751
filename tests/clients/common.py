"""Shared by the tests of clients: the engine's path, its variants and the folder of examples."""

import os
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
ENGINE = os.environ.get("OSHI", str(ROOT / "target" / "release" / "oshi"))
EXAMPLES = ROOT / "examples"

# Limit for each answer in seconds, so that no test hangs. Nothing is measured with it.
TIMEOUT = 120

sys.path.insert(0, str(EXAMPLES))
from terminal import Engine  # noqa: E402


def variants():
    """Returns the variants that the engine declares."""
    engine = Engine([ENGINE])
    engine.say("uci")
    declared = [line for line in engine.lines_to("uciok") if line.startswith("option name UCI_Var")]
    engine.quit()
    return declared[0].split(" var ")[1:]


VARIANTS = variants()

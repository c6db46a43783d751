"""What the tests of clients share: where the engine is, what it plays, and the client of `examples/terminal.py`."""

import os
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
ENGINE = os.environ.get("OSHI", str(ROOT / "target" / "release" / "oshi"))

# A guard against hanging, in seconds; nothing is measured with it.
PATIENCE = 120

sys.path.insert(0, str(ROOT / "examples"))
from terminal import Engine  # noqa: E402


def variants():
    """The games that the engine knows."""
    engine = Engine([ENGINE])
    known = engine.variants()
    engine.quit()
    return known


VARIANTS = variants()

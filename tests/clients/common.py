"""What the tests of clients share: where the engine is, and the client of `examples/terminal.py`."""

import os
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
ENGINE = os.environ.get("OSHI", str(ROOT / "target" / "release" / "oshi"))
VARIANTS = ["kamisado-simple", "kamisado-standard", "kamisado-long", "kamisado-marathon", "kamon"]

# A guard against hanging, in seconds; nothing is measured with it.
PATIENCE = 120

sys.path.insert(0, str(ROOT / "examples"))

"""The strength test of `action.yml`: its steps with three parts, and the verdict."""

import os
import pathlib
import subprocess
import tempfile
import unittest

from common import ENGINE, ROOT

OSHI = pathlib.Path(ENGINE).resolve()
BASHO = OSHI.parent / "basho"
STEPS = ROOT / "tools/strength"
PARTS = 3
# Engines of a commit: shell scripts, as a build may leave them.
STRONG = f'exec "{OSHI}"\n'
WEAK = f"""(echo setoption name UCI_LimitStrength value true
echo setoption name UCI_Elo value 600
cat) | "{OSHI}"
"""
CRASHING = f"""echo out of cheese >&2
sed -u /^go/q | "{OSHI}" | grep --line-buffered -v ^bestmove
"""
HANGING = f"""sed -u '/^go/s/.*/stop/' | "{OSHI}"
"""
# Builds the program of a commit from its source.
BUILD = "{ echo '#!/bin/sh'; cat source; } >bot && chmod +x bot"


class Run:
    """A strength test of two engines."""

    def __init__(self, folder, head, base, **settings):
        self.folder = pathlib.Path(folder)
        self.summary = self.folder / "summary.md"
        self.sources = {"head": head, "base": base}
        self.environment = os.environ | {
            "BASHO": str(BASHO),
            "BUILD": BUILD,
            "ENGINE": "bot",
            "ARGS": "",
            "OPTIONS": "option.Hash=1",
            "VARIANT": "kamisado-simple",
            "LIMIT": "nodes=20",
            "OPENINGS": "random_start=true",
            "SPRT": "elo0=-100 elo1=0",
            "ROUNDS": "60",
            "CONCURRENCY": "2",
            "GITHUB_STEP_SUMMARY": str(self.summary),
        } | settings
        parts = [self.play(part) for part in range(1, PARTS + 1)]
        self.play_codes = [part.wait() for part in parts]
        verdict = subprocess.run(
            [STEPS / "verdict", self.folder / "parts", self.folder / "whole"],
            env=self.environment,
            stdout=subprocess.PIPE,
            text=True,
            encoding="utf-8",
        )
        self.code, self.message = verdict.returncode, verdict.stdout

    def play(self, part):
        runner = self.folder / f"runner-{part}"
        for version, source in self.sources.items():
            (runner / version).mkdir(parents=True)
            (runner / version / "source").write_text(source)
        shard = {
            "HEAD_DIR": str(runner / "head"),
            "BASE_DIR": str(runner / "base"),
            "SHARD": f"{part}/{PARTS}",
            "INTO": str(self.folder / f"parts/strength-part-{part}"),
        }
        return subprocess.Popen(
            [STEPS / "play"],
            env=self.environment | shard,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )


class StrengthTest(unittest.TestCase):
    def check(self, head, base, code, words, **settings):
        with tempfile.TemporaryDirectory() as folder:
            run = Run(folder, head, base, **settings)
            self.assertEqual(run.play_codes, [0] * PARTS)
            self.assertIn(words, run.message)
            self.assertEqual(run.code, code, run.message)
            summary = run.summary.read_text(encoding="utf-8")
            self.assertIn(words, summary.replace("\\", ""))
            self.assertTrue((pathlib.Path(folder) / "whole/games.html").exists())
            return summary

    def test_passes_a_stronger_head(self):
        self.check(STRONG, WEAK, 0, "head is not weaker than base")

    def test_fails_a_weaker_head(self):
        self.check(WEAK, STRONG, 1, "head is weaker than base")

    def test_passes_an_equal_head_within_wide_bounds(self):
        self.check(STRONG, STRONG, 0, "head is not weaker than base", SPRT="elo0=-400 elo1=0")

    def test_fails_if_the_games_do_not_decide(self):
        self.check(STRONG, STRONG, 2, "Undecided between head and base", ROUNDS="6")

    def test_names_a_crashing_head_with_its_last_words(self):
        summary = self.check(CRASHING, STRONG, 3, "No verdict on head and base")
        self.assertIn("**head** was at fault", summary)
        self.assertIn("    out of cheese", summary)

    def test_names_a_crashing_base(self):
        summary = self.check(STRONG, CRASHING, 3, "No verdict on head and base")
        self.assertIn("**base** was at fault", summary)

    def test_names_a_hanging_head(self):
        summary = self.check(HANGING, STRONG, 3, "No verdict on head and base", OPTIONS="patience=1000")
        self.assertIn("**head** was at fault", summary)

    def test_fails_if_a_version_does_not_build(self):
        with tempfile.TemporaryDirectory() as folder:
            run = Run(folder, STRONG, STRONG, BUILD="false")
            self.assertEqual(run.play_codes, [1] * PARTS)
            self.assertEqual(run.code, 3)
            self.assertIn("No part of the test was played", run.message)


if __name__ == "__main__":
    unittest.main()

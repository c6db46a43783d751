"""The clients in `examples/`, run as their users run them."""

import shutil
import subprocess
import sys
import unittest

import common
from terminal import Engine

ENDINGS = {"p1win": "Black has won", "p2win": "White has won", "draw": "drawn"}


def run(*command, lines=()):
    """Runs a program with these lines as its input."""
    text = "".join(f"{line}\n" for line in lines)
    return subprocess.run(
        command, input=text, capture_output=True, text=True, timeout=common.TIMEOUT
    )


class Terminal(unittest.TestCase):
    def run_terminal(self, lines, *arguments):
        script = str(common.EXAMPLES / "terminal.py")
        done = run(sys.executable, script, common.ENGINE, *arguments, lines=lines)
        self.assertEqual(done.stderr, "")
        self.assertEqual(done.returncode, 0)
        return done.stdout

    def test_gives_hints_refuses_mistakes_and_takes_back(self):
        lines = ["hint", "a1a9", "a1a5", "undo", "h1h2", "quit"]
        output = self.run_terminal(lines, "--go", "nodes 20")
        answers = ["hint: ", "`a1a9` is not a move", "you play a1a5", "you play h1h2"]
        for text in [*answers, "the engine plays "]:
            self.assertIn(text, output)
        self.assertEqual(output.count("Black opens the round with any tower"), 3)

    def test_lists_moves_by_square_and_shows_help(self):
        options = ["--go", "nodes 20", "--level", "beginner"]
        output = self.run_terminal(["moves", "help", "A1-A5", "quit"], *options)
        self.assertIn("\n  b1a2 b1b2 b1b3 ", output)
        self.assertLess(max(map(len, output.splitlines())), 160)
        for text in ["takes back your last one", "you play A1-A5"]:
            self.assertIn(text, output)

    def test_refuses_an_unknown_variant(self):
        script = str(common.EXAMPLES / "terminal.py")
        done = run(sys.executable, script, common.ENGINE, "--variant", "chess")
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("value `chess` for option `UCI_Variant`", done.stderr)

    def test_plays_a_whole_match_of_every_variant(self):
        for variant in common.VARIANTS:
            with self.subTest(variant):
                own_moves, ending = self.first_legal_moves(variant)
                strength = ["--level", "perfect", "--go", "nodes 20"]
                options = ["--variant", variant, "--white", *strength]
                output = self.run_terminal(own_moves, *options)
                self.assertIn(ending, output[-800:])

    def first_legal_moves(self, variant):
        """Plays a match against the engine with the first legal move each time. Returns these
        moves and the ending. The engine of the example repeats its moves: same seed, same nodes,
        one thread."""
        engine = Engine([common.ENGINE])
        self.addCleanup(engine.quit)
        engine.answers_to(f"setoption name UCI_Variant value {variant}")
        own_moves = []
        while (result := engine.words_of("query result")[0]) == "none":
            if engine.words_of("query p1turn") == ["true"]:
                move = engine.best_move("nodes 20", "perfect")
            else:
                move = engine.words_of("legal")[0]
                own_moves.append(move)
            self.assertEqual(engine.answers_to(f"moves {move}"), [])
        return own_moves, ENDINGS[result]


class WholeGames(unittest.TestCase):
    def test_python_chess_adapter_plays_a_game(self):
        script = str(common.EXAMPLES / "python_chess.py")
        done = run(sys.executable, script, common.ENGINE, "kamisado-simple")
        self.assertEqual((done.stderr, done.returncode), ("", 0))
        self.assertGreaterEqual(len(done.stdout.splitlines()), 2)

    @unittest.skipUnless(shutil.which("node"), "needs Node.js")
    def test_javascript_client_plays_every_variant(self):
        for variant in common.VARIANTS:
            with self.subTest(variant):
                script = str(common.EXAMPLES / "client.mjs")
                done = run("node", script, common.ENGINE, variant, "nodes 20")
                self.assertEqual((done.stderr, done.returncode), ("", 0))
                self.assertIn(done.stdout.splitlines()[-1], ENDINGS)

    @unittest.skipUnless(shutil.which("node"), "needs Node.js")
    def test_javascript_client_reports_a_refusal(self):
        done = run("node", str(common.EXAMPLES / "client.mjs"), common.ENGINE, "chess")
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("value `chess` for option `UCI_Variant`", done.stderr)


if __name__ == "__main__":
    unittest.main()

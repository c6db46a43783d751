"""Dialogues as a person types them at a terminal, and as a UGI program sends them."""

import subprocess
import unittest

import common
import pexpect
from terminal import Engine, Game


class Typed(unittest.TestCase):
    """pexpect gives the engine a terminal: with echo, line editing and Ctrl-D."""

    def setUp(self):
        self.engine = pexpect.spawn(common.ENGINE, timeout=common.PATIENCE, encoding="utf-8")
        self.addCleanup(self.engine.close, force=True)

    def type(self, line, *expected):
        self.engine.sendline(line)
        for text in expected:
            self.engine.expect_exact(text)

    def test_a_session(self):
        self.type("uci", "id name oshi", "option name Hash type spin", "uciok\r\n")
        self.type("", "\r\n")
        self.type("what can you do?", "info string error: unknown command `what`")
        self.type("help", "position startpos|fen LINE|random SEED", "Options:", "UCI_Variant")
        self.type("setoption name uci_variant value Kamisado-Simple")
        self.type("d", "Black opens the round with any tower", "Fen: OLVPYRGB/8/8/8/8/8/8/bgrypvlo b - 0-0 1\r\n")
        self.type("moves a1a9", "info string error: move 1 of the list: `a1a9` is not a move")
        self.type("  moves   a1a5 # the corner")
        self.type("query p1turn", "response false\r\n")
        self.type("go infinite", "info depth", " pv ")
        self.type("isready", "readyok\r\n")
        self.type("stop", "bestmove ")
        self.type("stop", "info string error: `stop` while idle")
        self.type("quit")
        self.engine.expect_exact(pexpect.EOF)
        self.engine.wait()
        self.assertEqual(self.engine.exitstatus, 0)

    def test_typing_mistakes_are_rubbed_out_by_the_terminal(self):
        self.engine.send("isreadz\x7fy\n")
        self.engine.expect_exact("readyok\r\n")
        self.engine.send("xyzzy\x15isready\n")
        self.engine.expect_exact("readyok\r\n")

    def test_end_of_input_ends_an_infinite_search_and_the_program(self):
        self.type("go infinite", "info depth")
        self.engine.sendeof()
        self.engine.expect_exact("bestmove ")
        self.engine.expect_exact(pexpect.EOF)
        self.engine.wait()
        self.assertEqual(self.engine.exitstatus, 0)


class Ugi(unittest.TestCase):
    """A program that knows UGI only, and nothing of the rules: it asks whose turn it is and whether the match is over."""

    def test_a_whole_match_of_every_variant(self):
        for variant in common.VARIANTS:
            with self.subTest(variant):
                engine = Engine([common.ENGINE])
                self.addCleanup(engine.quit)
                engine.say("ugi")
                introduction = engine.lines_to("ugiok")
                self.assertTrue(introduction[0].startswith("id name "))
                self.assertTrue(all(line.split()[0] in ("id", "option", "ugiok") for line in introduction))
                self.assertEqual(engine.answers_to(f"setoption name UCI_Variant value {variant}"), [])
                self.assertEqual(engine.answers_to("uginewgame"), [])
                moves = []
                while engine.answers_to("query gameover") == ["response false"]:
                    self.assertEqual(engine.answers_to("query result"), ["response none"])
                    self.assertIn(engine.answers_to("query p1turn"), (["response true"], ["response false"]))
                    engine.say("go p1time 1000 p2time 1000 p1inc 0 p2inc 0 nodes 20")
                    answer = engine.lines_to("bestmove")[-1].split()
                    self.assertEqual(len(answer), 2, answer)
                    moves.append(answer[1])
                    self.assertEqual(engine.answers_to("position startpos moves " + " ".join(moves)), [])
                result = engine.answers_to("query result")
                self.assertIn(result, (["response p1win"], ["response p2win"], ["response draw"]))


class Frontends(unittest.TestCase):
    """The frontend in Python, used as its user would."""

    def run_frontend(self, lines, *arguments):
        command = ["python3", str(common.ROOT / "examples" / "terminal.py"), common.ENGINE, *arguments]
        done = subprocess.run(command, input="\n".join(lines) + "\n", capture_output=True, text=True, timeout=common.PATIENCE)
        self.assertEqual(done.stderr, "")
        self.assertEqual(done.returncode, 0)
        return done.stdout

    def test_hints_mistakes_and_moves_taken_back(self):
        said = self.run_frontend(["hint", "a1a9", "a1a5", "undo", "h1h2", "quit"], "--go", "nodes 20")
        for text in ["hint: ", "`a1a9` is not a move", "you play a1a5", "you play h1h2", "the engine plays ", "broken off"]:
            self.assertIn(text, said)

    def test_lists_moves_by_square_and_shows_the_commands(self):
        said = self.run_frontend(["moves", "help", "A1-A5", "quit"], "--go", "nodes 20", "--level", "beginner")
        self.assertIn("\n  b1a2 b1b2 b1b3 ", said)
        self.assertLess(max(map(len, said.splitlines())), 160)
        for text in ["level beginner", "takes back your last move", "you play A1-A5"]:
            self.assertIn(text, said)

    def test_a_match_by_pressing_enter_and_typing_legal_moves(self):
        for variant in common.VARIANTS:
            engine = Engine([common.ENGINE])
            self.addCleanup(engine.quit)
            engine.say(f"setoption name UCI_Variant value {variant}")
            game = Game(engine)
            own = []
            # The frontend's engine plays the same: same seed, same nodes, one thread.
            while game.result() == "none":
                if game.is_blacks_turn():
                    move = engine.think("go nodes 20")[1]
                else:
                    own.append(move := game.legal_moves()[0])
                self.assertIsNone(game.play(move))
            said = self.run_frontend(own, "--variant", variant, "--white", "--level", "perfect", "--go", "nodes 20")
            expected = {"p1win": "Black wins", "p2win": "White wins", "draw": "a draw"}[game.result()]
            self.assertTrue(said.rstrip().endswith(expected), said[-500:])


if __name__ == "__main__":
    unittest.main()

"""Dialogues typed at a terminal, and dialogues of a UGI program."""

import unittest

import common
import pexpect
from terminal import Engine


class Typed(unittest.TestCase):
    """pexpect connects the engine to a terminal with echo, line editing and Ctrl-D."""

    def setUp(self):
        self.engine = pexpect.spawn(common.ENGINE, timeout=common.TIMEOUT, encoding="utf-8")
        self.addCleanup(self.engine.close, force=True)

    def type(self, line, *expected):
        self.engine.sendline(line)
        for text in expected:
            self.engine.expect_exact(text)

    def test_answers_typed_commands(self):
        self.type("uci", "id name oshi", "option name Hash type spin", "uciok\r\n")
        self.type("", "\r\n")
        self.type("what can you do?", "info string error: unknown command `what`")
        self.type("help", "position startpos|fen LINE|random SEED", "Options:", "UCI_Variant")
        self.type("setoption name uci_variant value Kamisado-Simple")
        start = "Fen: OLVPYRGB/8/8/8/8/8/8/bgrypvlo b - 0-0 1\r\n"
        self.type("d", "Black opens the round with any tower", start)
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

    def test_line_editing_of_the_terminal_works(self):
        self.engine.send("isreadz\x7fy\n")
        self.engine.expect_exact("readyok\r\n")
        self.engine.send("xyzzy\x15isready\n")
        self.engine.expect_exact("readyok\r\n")

    def test_end_of_input_ends_an_infinite_search(self):
        self.type("go infinite", "info depth")
        self.engine.sendeof()
        self.engine.expect_exact("bestmove ")
        self.engine.expect_exact(pexpect.EOF)
        self.engine.wait()
        self.assertEqual(self.engine.exitstatus, 0)


class Ugi(unittest.TestCase):
    """A UGI program without rules: it asks who moves and whether the match is over."""

    def test_plays_a_whole_match_of_every_variant(self):
        for variant in common.VARIANTS:
            with self.subTest(variant):
                self.play_match(variant)

    def play_match(self, variant):
        engine = Engine([common.ENGINE])
        self.addCleanup(engine.quit)
        engine.say("ugi")
        handshake = engine.lines_to("ugiok")
        self.assertTrue(handshake[0].startswith("id name "))
        words = {line.split()[0] for line in handshake}
        self.assertEqual(words, {"id", "option", "ugiok"})
        self.assertEqual(engine.answers_to(f"setoption name UCI_Variant value {variant}"), [])
        self.assertEqual(engine.answers_to("uginewgame"), [])
        truth_values = (["response true"], ["response false"])
        moves = []
        while engine.answers_to("query gameover") == ["response false"]:
            self.assertEqual(engine.answers_to("query result"), ["response none"])
            self.assertIn(engine.answers_to("query p1turn"), truth_values)
            engine.say("go p1time 1000 p2time 1000 p1inc 0 p2inc 0 nodes 20")
            answer = engine.lines_to("bestmove")[-1].split()
            self.assertEqual(len(answer), 2, answer)
            moves.append(answer[1])
            self.assertEqual(engine.answers_to("position startpos moves " + " ".join(moves)), [])
        result = engine.answers_to("query result")
        self.assertIn(result, (["response p1win"], ["response p2win"], ["response draw"]))


if __name__ == "__main__":
    unittest.main()

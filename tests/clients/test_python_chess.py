"""python-chess drives the engine as it drives any UCI engine. All that it knows of these games is a board that asks a second
engine for the rules, and that refuses an illegal move, even if it is only the last of a principal variation."""

import unittest

import common
import chess
import chess.engine
from terminal import Engine


class Ply(str):
    """A move in the text form of the game; python-chess asks moves for no more."""

    def uci(self):
        return str(self)


class Board:
    """As much of `chess.Board` as `chess.engine` needs."""

    chess960 = False

    def __init__(self, referee, line=None, moves=()):
        self.referee = referee
        self.line = line or self.ask("setoption name UCI_Variant value " + self.uci_variant, "position startpos")
        self.move_stack = list(moves)

    def ask(self, *lines):
        """The position line after these lines; ValueError where the engine refuses one of them."""
        answers = self.referee.answers_to("\n".join([*lines, "d"]))
        if answers[0].startswith("info string error"):
            raise ValueError(answers[0])
        return answers[-1].removeprefix("Fen: ")

    def fen(self, **_):
        return self.ask(" ".join([f"position fen {self.line} moves", *self.move_stack]))

    @property
    def turn(self):
        self.fen()
        return self.referee.answers_to("query p1turn") == ["response false"]

    def root(self):
        return type(self)(self.referee, self.line)

    def copy(self, stack=True):
        return type(self)(self.referee, self.line, self.move_stack) if stack else type(self)(self.referee, self.fen())

    def parse_uci(self, text):
        self.ask(" ".join([f"position fen {self.line} moves", *self.move_stack, text]))
        return Ply(text)

    def push(self, move):
        self.move_stack.append(move)

    def push_uci(self, text):
        move = self.parse_uci(text)
        self.push(move)
        return move

    def pop(self):
        return self.move_stack.pop()

    def is_over(self):
        self.fen()
        return self.referee.answers_to("query gameover") == ["response true"]

    def __eq__(self, other):
        return self.fen() == other.fen()


BOARDS = {variant: type("Board", (Board,), {"uci_variant": variant}) for variant in common.VARIANTS}


class PythonChess(unittest.TestCase):
    def setUp(self):
        self.engine = chess.engine.SimpleEngine.popen_uci(common.ENGINE, timeout=common.PATIENCE)
        self.addCleanup(self.engine.close)
        self.referee = Engine([common.ENGINE])
        self.addCleanup(self.referee.quit)

    def board(self, variant="kamisado-simple"):
        return BOARDS[variant](self.referee)

    def test_handshake_and_options(self):
        self.assertTrue(self.engine.id["name"].startswith("oshi "))
        self.assertIn("author", self.engine.id)
        options = self.engine.options
        self.assertEqual(options["UCI_Variant"].var, common.VARIANTS)
        self.assertIn(options["UCI_Variant"].default, common.VARIANTS)
        self.assertEqual((options["Hash"].type, options["Hash"].default, options["Hash"].min), ("spin", 64, 1))
        self.assertEqual((options["Ponder"].type, options["Ponder"].default), ("check", False))
        self.assertEqual(options["Clear Hash"].type, "button")
        self.assertEqual(options["LogFile"].type, "string")

    def test_configure_and_ping(self):
        self.engine.configure({"Hash": 1, "Threads": 2, "Seed": 5, "Clear Hash": None, "MoveOverhead": 0})
        self.engine.ping()
        with self.assertRaises(chess.engine.EngineError):
            self.engine.configure({"Hash": 0})
        with self.assertRaises(chess.engine.EngineError):
            self.engine.configure({"Contempt": 1})
        self.engine.ping()

    def test_whole_games_of_every_variant(self):
        for variant in common.VARIANTS:
            with self.subTest(variant), self.assertNoLogs("chess.engine", "WARNING"):
                board = self.board(variant)
                game = object()
                while not board.is_over():
                    played = self.engine.play(board, chess.engine.Limit(nodes=20), game=game)
                    self.assertFalse(played.resigned)
                    board.push_uci(played.move)
                self.assertIsNone(self.engine.play(board, chess.engine.Limit(nodes=20), game=game).move)

    def test_a_game_on_the_clock_with_pondering(self):
        with self.assertNoLogs("chess.engine", "WARNING"):
            board = self.board("kamisado-standard")
            hits = 0
            limit = chess.engine.Limit(white_clock=2, black_clock=2, white_inc=0.01, black_inc=0.01)
            for _ in range(12):
                played = self.engine.play(board, limit, ponder=True, game=1)
                board.push(played.move)
                if board.is_over():
                    break
                # The expected reply makes a hit of every second one; any other move makes the engine stop.
                reply = played.ponder if hits % 2 == 0 and played.ponder else Ply(self.legal_moves(board)[-1])
                hits += 1
                if played.ponder is not None:
                    board.push(reply)
            self.assertGreater(hits, 2)

    def legal_moves(self, board):
        board.fen()
        return self.referee.answers_to("legal")[0].split()[1:]

    def test_analysis_of_several_lines(self):
        with self.assertNoLogs("chess.engine", "WARNING"):
            infos = self.engine.analyse(self.board("kamisado-marathon"), chess.engine.Limit(nodes=2000), multipv=3)
            self.assertEqual([info["multipv"] for info in infos], [1, 2, 3])
            for info in infos:
                self.assertLessEqual(1, len(info["pv"]))
                self.assertEqual(info["nodes"], 2000)
                self.assertFalse(info["score"].is_mate())
                self.assertEqual(sum(info["wdl"].relative), 1000)
                self.assertLessEqual(info["depth"], info["seldepth"])
            self.assertEqual(len({info["pv"][0] for info in infos}), 3)

    def test_analysis_is_watched_and_stopped(self):
        with self.assertNoLogs("chess.engine", "WARNING"):
            for variant in common.VARIANTS:
                with self.engine.analysis(self.board(variant)) as analysis:
                    for info in analysis:
                        if "score" in info:
                            break
                    analysis.stop()
                    self.assertIsNotNone(analysis.wait().move)
            self.engine.ping()

    def test_only_some_root_moves(self):
        board = self.board("kamisado-long")
        played = self.engine.play(board, chess.engine.Limit(nodes=50), root_moves=[Ply("a1a2"), Ply("h1h3")])
        self.assertIn(played.move, ["a1a2", "h1h3"])

    def test_a_proven_win_is_a_mate_score_for_the_player_to_move(self):
        board = self.board()
        for move in "g1b6 d8h4 e1e6 c8c6 h1g2 a8b7 g2g7 h8h7 f1e2 g8f7".split():
            board.push_uci(move)
        info = self.engine.analyse(board, chess.engine.Limit(nodes=200))
        # The first player is not python-chess's White.
        self.assertEqual(info["score"].pov(chess.BLACK), chess.engine.Mate(1))
        self.assertEqual(info["pv"], ["d1d8"])


if __name__ == "__main__":
    unittest.main()

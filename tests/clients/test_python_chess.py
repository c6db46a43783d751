"""python-chess drives the engine through the adapter `examples/python_chess.py`. The board of the
adapter refuses illegal moves, so these tests also check each move of each principal variation."""

import unittest

import chess
import chess.engine
import common
from python_chess import Board, Ply, Referee

BOARDS = {
    variant: type("Board", (Board,), {"uci_variant": variant}) for variant in common.VARIANTS
}


class PythonChess(unittest.TestCase):
    def setUp(self):
        open_engine = chess.engine.SimpleEngine.popen_uci
        self.engine = open_engine(common.ENGINE, timeout=common.TIMEOUT)
        self.addCleanup(self.engine.close)
        self.referee = Referee(common.ENGINE)
        self.addCleanup(self.referee.quit)

    def board(self, variant="kamisado-simple"):
        return BOARDS[variant](self.referee)

    def test_reads_name_and_options(self):
        self.assertTrue(self.engine.id["name"].startswith("oshi "))
        self.assertIn("author", self.engine.id)
        options = self.engine.options
        self.assertEqual(options["UCI_Variant"].var, common.VARIANTS)
        self.assertIn(options["UCI_Variant"].default, common.VARIANTS)
        memory = options["Hash"]
        self.assertEqual((memory.type, memory.default, memory.min), ("spin", 64, 1))
        self.assertEqual((options["Ponder"].type, options["Ponder"].default), ("check", False))
        self.assertEqual(options["Clear Hash"].type, "button")
        self.assertEqual(options["LogFile"].type, "string")

    def test_sets_options_and_refuses_bad_ones(self):
        numbers = {"Hash": 1, "Threads": 2, "Seed": 5, "MoveOverhead": 0}
        self.engine.configure({**numbers, "Clear Hash": None})
        self.engine.ping()
        with self.assertRaises(chess.engine.EngineError):
            self.engine.configure({"Hash": 0})
        with self.assertRaises(chess.engine.EngineError):
            self.engine.configure({"Contempt": 1})
        self.engine.ping()

    def test_plays_whole_games_of_every_variant(self):
        for variant in common.VARIANTS:
            with self.subTest(variant), self.assertNoLogs("chess.engine", "WARNING"):
                board = self.board(variant)
                game = object()
                while not board.is_over():
                    played = self.engine.play(board, chess.engine.Limit(nodes=20), game=game)
                    self.assertFalse(played.resigned)
                    board.push_uci(played.move)
                played = self.engine.play(board, chess.engine.Limit(nodes=20), game=game)
                self.assertIsNone(played.move)

    def test_plays_on_the_clock_with_pondering(self):
        with self.assertNoLogs("chess.engine", "WARNING"):
            board = self.board("kamisado-standard")
            hits = 0
            limit = chess.engine.Limit(white_clock=2, black_clock=2, white_inc=0.01, black_inc=0.01)
            for _ in range(12):
                played = self.engine.play(board, limit, ponder=True, game=1)
                board.push(played.move)
                if board.is_over():
                    break
                # Every second reply is the expected one, a ponder hit. Others stop the search.
                is_expected = hits % 2 == 0 and played.ponder
                reply = played.ponder if is_expected else Ply(self.legal_moves(board)[-1])
                hits += 1
                if played.ponder is not None:
                    board.push(reply)
            self.assertGreater(hits, 2)

    def legal_moves(self, board):
        return self.referee.ask(board.set_up(), "legal")[0].split()[1:]

    def test_analyses_several_lines(self):
        with self.assertNoLogs("chess.engine", "WARNING"):
            board = self.board("kamisado-marathon")
            infos = self.engine.analyse(board, chess.engine.Limit(nodes=2000), multipv=3)
            self.assertEqual([info["multipv"] for info in infos], [1, 2, 3])
            for info in infos:
                self.assertLessEqual(1, len(info["pv"]))
                self.assertEqual(info["nodes"], 2000)
                self.assertFalse(info["score"].is_mate())
                self.assertEqual(sum(info["wdl"].relative), 1000)
                self.assertLessEqual(info["depth"], info["seldepth"])
            self.assertEqual(len({info["pv"][0] for info in infos}), 3)

    def test_watches_and_stops_an_analysis(self):
        with self.assertNoLogs("chess.engine", "WARNING"):
            for variant in common.VARIANTS:
                with self.engine.analysis(self.board(variant)) as analysis:
                    for info in analysis:
                        if "score" in info:
                            break
                    analysis.stop()
                    self.assertIsNotNone(analysis.wait().move)
            self.engine.ping()

    def test_restricts_root_moves(self):
        board = self.board("kamisado-long")
        moves = [Ply("a1a2"), Ply("h1h3")]
        played = self.engine.play(board, chess.engine.Limit(nodes=50), root_moves=moves)
        self.assertIn(played.move, moves)

    def test_proven_win_is_a_mate_score_for_the_mover(self):
        board = self.board()
        for move in "g1b6 d8h4 e1e6 c8c6 h1g2 a8b7 g2g7 h8h7 f1e2 g8f7".split():
            board.push_uci(move)
        info = self.engine.analyse(board, chess.engine.Limit(nodes=200))
        # The first player is Black, unlike in chess.
        self.assertEqual(info["score"].pov(chess.BLACK), chess.engine.Mate(1))
        self.assertEqual(info["pv"], ["d1d8"])


if __name__ == "__main__":
    unittest.main()

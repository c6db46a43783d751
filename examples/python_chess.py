"""A board of Kamisado or Kamon for `chess.engine` of python-chess. To run: cargo build --release &&
pip install chess==1.11.2 && python3 examples/python_chess.py target/release/oshi kamon"""

import itertools
import subprocess
import sys

import chess.engine


class Ply(str):
    """A move in the text form of the game. python-chess asks a move for nothing but `uci`."""

    def uci(self):
        return str(self)


class Referee:
    """A second process of the engine, which answers questions about the rules."""

    def __init__(self, program):
        pipe = subprocess.PIPE
        self.process = subprocess.Popen([program], stdin=pipe, stdout=pipe, text=True, bufsize=1)

    def ask(self, *commands):
        """Returns the lines of the answer; raises ValueError if the engine refuses a command."""
        self.process.stdin.write("\n".join([*commands, "isready", ""]))
        answer = itertools.takewhile(lambda line: line != "readyok\n", self.process.stdout)
        lines = "".join(answer).splitlines()
        if lines and lines[0].startswith("info string error"):
            raise ValueError(lines[0])
        return lines

    def line(self, *commands):
        """Returns the position line after the commands."""
        return self.ask(*commands, "d")[-1].removeprefix("Fen: ")

    def quit(self):
        self.process.communicate("quit\n")


class Board:
    """The part of `chess.Board` that `chess.engine` uses. As in chess, `turn` is True for White."""

    chess960 = False
    uci_variant = "kamisado-standard"  # `chess.engine` reads it from the class of the board.

    def __init__(self, referee, start=None, moves=()):
        self.referee, self.move_stack = referee, list(moves)
        set_variant = f"setoption name UCI_Variant value {self.uci_variant}"
        self.start = start or self.referee.line(set_variant, "position startpos")

    def set_up(self, *more):
        return " ".join(["position fen", self.start, "moves", *self.move_stack, *more])

    def fen(self, **_):
        return self.referee.line(self.set_up())

    @property
    def turn(self):
        return self.referee.ask(self.set_up(), "query p1turn") == ["response false"]

    def is_over(self):
        return self.referee.ask(self.set_up(), "query gameover") == ["response true"]

    def parse_uci(self, text):
        self.referee.ask(self.set_up(text))
        return Ply(text)

    def push(self, move):
        self.move_stack.append(move)

    def push_uci(self, text):
        self.push(self.parse_uci(text))
        return self.move_stack[-1]

    def pop(self):
        return self.move_stack.pop()

    def root(self):
        return type(self)(self.referee, self.start)

    def copy(self, stack=True):
        start, moves = (self.start, self.move_stack) if stack else (self.fen(), ())
        return type(self)(self.referee, start, moves)

    def __eq__(self, other):
        return self.fen() == other.fen()


if __name__ == "__main__":
    program, Board.uci_variant = [*sys.argv[1:], "kamisado-standard"][:2]
    board = Board(Referee(program))
    with chess.engine.SimpleEngine.popen_uci(program) as engine:
        while not board.is_over():
            played = engine.play(board, chess.engine.Limit(time=0.1), info=chess.engine.INFO_SCORE)
            print(played.move, played.info.get("score"))
            board.push(played.move)
    board.referee.quit()

#!/usr/bin/env python3
"""Play against the engine in the terminal, at any game that it knows. Needs Python's standard library only.

    cargo build --release
    python3 examples/terminal.py target/release/oshi --variant kamisado-simple

Commands:
    MOVE   plays a move in any spelling: a1a5, A1-A5, Brown Ahead 4 Pink, left, d4; Enter plays the only one
    moves  lists the legal moves, those of one tower or row together
    hint   asks the engine for a move
    undo   takes back your last move and the answer to it
    board  shows the board
    help   shows the commands
    quit   ends the game
"""

import argparse
import itertools
import subprocess
import sys
import textwrap

# The ratings that protocol.md gives the levels; without one, the engine plays at full strength.
LEVELS = {"beginner": 600, "casual": 1000, "club": 1400, "expert": 1800, "master": 2200, "perfect": None}


class Engine:
    """An engine's process, spoken to line by line."""

    def __init__(self, command):
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1)

    def say(self, line):
        self.process.stdin.write(line + "\n")

    def lines_to(self, beginning):
        """The lines up to and including the first that begins like this."""
        lines = []
        for line in self.process.stdout:
            lines.append(line.rstrip("\n"))
            if line.startswith(beginning):
                return lines
        raise EOFError(f"the engine ended before it said `{beginning}`")

    def answers_to(self, line):
        """All that the engine says to a line that does not make it think."""
        self.say(line)
        self.say("isready")
        return self.lines_to("readyok")[:-1]

    def variants(self):
        """The games that the engine knows, as its option UCI_Variant names them."""
        self.say("uci")
        option = next(line for line in self.lines_to("uciok") if line.startswith("option name UCI_Variant "))
        return option.split(" var ")[1:]

    def set_level(self, level):
        """Sets how strong the engine plays."""
        elo = LEVELS[level]
        self.say(f"setoption name UCI_LimitStrength value {'true' if elo else 'false'}")
        if elo:
            self.say(f"setoption name UCI_Elo value {elo}")

    def think(self, go):
        """The last `info` with a score, and the best move; None if there is no move."""
        self.say(go)
        lines = self.lines_to("bestmove")
        scores = [line for line in lines if line.startswith("info ") and " score " in line]
        move = lines[-1].split()[1]
        return (scores or [""])[-1], None if move == "(none)" else move

    def quit(self):
        self.say("quit")
        self.process.stdin.close()
        self.process.wait()
        self.process.stdout.close()


class Game:
    """The moves played so far; the engine, which knows the rules, is asked for the rest."""

    def __init__(self, engine, start="startpos"):
        self.engine = engine
        self.start = start
        self.moves = []
        self.set_up()

    def set_up(self):
        """Sets the engine to the position; returns its error message, or None."""
        moves = " moves " + " ".join(self.moves) if self.moves else ""
        answers = self.engine.answers_to(f"position {self.start}{moves}")
        return answers[0].removeprefix("info string error: ") if answers else None

    def play(self, move):
        """Plays a move, unless the engine refuses it; returns the error message, or None."""
        self.moves.append(move)
        error = self.set_up()
        if error:
            self.undo()
        return error

    def undo(self):
        if self.moves:
            self.moves.pop()
            self.set_up()

    def board(self):
        """The board without the list of legal moves, which is long."""
        return [line for line in self.engine.answers_to("d") if not line.startswith("Legal moves:")]

    def legal_moves(self):
        return self.engine.answers_to("legal")[0].split()[1:]

    def is_blacks_turn(self):
        return self.engine.answers_to("query p1turn") == ["response true"]

    def result(self):
        """`p1win`, `p2win`, `draw`, or `none` while the match goes on."""
        return self.engine.answers_to("query result")[0].split()[1]


def listing(moves):
    """The moves in lines, those from the same square or row together."""
    groups = itertools.groupby(sorted(moves), key=lambda move: move[: len(move) // 2])
    return "\n".join(textwrap.fill(" ".join(group), 76, initial_indent="  ", subsequent_indent="    ") for _, group in groups)


def read_command(game):
    """What the user types; `quit` at the end of the input."""
    only = game.legal_moves()[0] if len(game.legal_moves()) == 1 else ""
    sys.stdout.write(f"your move [{only}]> " if only else "your move> ")
    sys.stdout.flush()
    line = sys.stdin.readline()
    return (line.strip() or only) if line else "quit"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("engine", help="the engine's program")
    parser.add_argument("--variant", default="kamisado-standard", help="a value of the engine's option UCI_Variant")
    parser.add_argument("--white", action="store_true", help="you are White, and the engine opens")
    parser.add_argument("--level", default="club", choices=LEVELS, help="how strong the engine plays (default: club)")
    parser.add_argument("--go", default="movetime 1000", help="how the engine thinks: the words after `go`")
    arguments = parser.parse_args()

    engine = Engine([arguments.engine])
    engine.say("uci")
    engine.lines_to("uciok")
    for error in engine.answers_to(f"setoption name UCI_Variant value {arguments.variant}"):
        sys.exit(error)
    engine.set_level(arguments.level)
    game = Game(engine)
    print(f"level {arguments.level}; type `help` for the commands")
    while game.result() == "none":
        if game.is_blacks_turn() == arguments.white:
            score, move = engine.think(f"go {arguments.go}")
            print(f"the engine plays {move}   ({score.partition(' score ')[2].partition(' nodes ')[0]})")
            game.play(move)
            continue
        print("\n".join(game.board()))
        command = read_command(game)
        if command == "quit":
            break
        if command == "help":
            print(__doc__[__doc__.index("Commands") :])
        elif command == "moves":
            print(listing(game.legal_moves()))
        elif command == "hint":
            print("hint:", engine.think(f"go {arguments.go}")[1])
        elif command == "undo":
            game.undo()
            while game.moves and game.is_blacks_turn() == arguments.white:
                game.undo()
        elif command not in ("", "board"):
            print(game.play(command) or f"you play {command}")
    print("\n".join(game.board()))
    print({"none": "broken off", "p1win": "Black wins", "p2win": "White wins", "draw": "a draw"}[game.result()])
    engine.quit()


if __name__ == "__main__":
    main()

"""Play against the engine in the terminal; `help` lists the commands. To run: cargo build --release
&& python3 examples/terminal.py target/release/oshi --level beginner --variant kamisado-simple"""

import argparse
import itertools
import shutil
import sys
from subprocess import PIPE, Popen

# Ratings of the levels in protocol.md; the last level is full strength.
LEVELS = dict(beginner=600, casual=1000, club=1400, expert=1800, master=2200, perfect=None)
HELP = """  MOVE   play a move: a1a5, A1-A5, Brown Ahead 4 Pink, left, d4; Enter plays a forced move
  moves  list the legal moves, one line per tower or row; board draws the board
  hint   ask for a good move; undo takes back your last one; quit leaves the game"""


class Engine:
    """A process of the engine. It knows the rules and keeps the game."""

    def __init__(self, command):
        self.process = Popen(command, stdin=PIPE, stdout=PIPE, text=True, bufsize=1)

    def say(self, line):
        self.process.stdin.write(line + "\n")

    def lines_to(self, start):
        """Returns the lines up to and including the first that starts with `start`."""
        lines = []
        for line in self.process.stdout:
            lines.append(line.rstrip("\n"))
            if line.startswith(start):
                return lines
        raise EOFError(f"the engine ended; expected `{start}`")

    def answers_to(self, line):
        """Returns the answer to a command that starts no search: often no lines, or an error."""
        self.say(f"{line}\nisready")
        return self.lines_to("readyok")[:-1]

    def words_of(self, line):
        return self.answers_to(line)[0].split()[1:]

    def board(self):
        return "\n".join(line for line in self.answers_to("d") if line[:6] != "Legal ")

    def best_move(self, go, level):
        self.say(f"setoption name UCI_LimitStrength value {'true' if LEVELS[level] else 'false'}")
        self.say(f"setoption name UCI_Elo value {LEVELS[level] or 1500}\ngo {go}")
        return self.lines_to("bestmove")[-1].split()[1]

    def quit(self):
        self.process.communicate("quit\n")


def play(engine, options):
    command, engines_turn = "board", ["true" if options.white else "false"]
    while command != "quit" and engine.words_of("query result") == ["none"]:
        if engine.words_of("query p1turn") == engines_turn:
            move, command = engine.best_move(options.go, options.level), "board"
            print(f"the engine plays {move}", *engine.answers_to(f"moves {move}"))
            continue
        if command in ("board", "undo"):
            print(engine.board())
        legal = engine.words_of("legal")
        only = "" if legal[1:] else legal[0]
        print(f"your move (or help): {only and f'[{only}] '}", end="", flush=True)
        command = next(sys.stdin, "quit").strip() or only
        if command == "help":
            print(HELP)
        elif command == "moves":
            for _, group in itertools.groupby(sorted(legal), lambda move: move[: len(move) // 2]):
                print(" ", *group)
        elif command == "hint":
            print("hint:", engine.best_move(options.go, "perfect"))
        elif command == "undo":
            while not engine.answers_to("undo") and engine.words_of("query p1turn") == engines_turn:
                pass
        elif command not in ("", "board", "quit"):
            error = "".join(engine.answers_to(f"moves {command}")).split(": ", 2)[-1]
            print(error or f"you play {command}")
            command = "board"
    print(engine.board())


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("engine", help="the program oshi")
    parser.add_argument("--variant", default="kamisado-standard", help="a value of UCI_Variant")
    parser.add_argument("--white", action="store_true", help="you are White; the engine begins")
    parser.add_argument("--level", default="club", choices=LEVELS, help="strength of the engine")
    parser.add_argument("--go", default="movetime 1000", help="limits of the engine's search")
    arguments = parser.parse_args()
    if not shutil.which(arguments.engine):
        parser.error(f"cannot run `{arguments.engine}`; build it with `cargo build --release`")
    player = Engine([arguments.engine])
    for refusal in player.answers_to(f"setoption name UCI_Variant value {arguments.variant}"):
        raise SystemExit(refusal)
    play(player, arguments)
    player.quit()

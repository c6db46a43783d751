"""Checks a certificate of Kamisado or Kamon: `python3 check_certificate.py FILE`.
Implements the rules itself. docs/proofs.md describes the format. Needs Python 3.8, no packages."""
import re, sys, zlib
from collections import namedtuple
from itertools import takewhile

OTHER = {"b": "w", "w": "b"}
COLOURS = "bgrypvlovbylgporlybvropgyrgbolvppvlobgrygporvbylropglybvolvpyrgb"  # of the squares, a1 to h8

class Refused(Exception):
    """A fault of the certificate."""

def need(holds, expected):
    if not holds:
        raise Refused(f"expected {expected}")

def from_below(rows, place, sizes):  # the places of all rows, the lowest row first; a digit without a letter counts free places
    below, places = rows.split("/")[::-1], []
    need(len(below) == len(sizes), f"{len(sizes)} rows in `{rows}`")
    for row, size in zip(below, sizes):
        need(re.fullmatch(rf"(?:{place}|\d)*", row, re.A), f"places of the game in row `{row}`")
        parts = re.findall(place + r"|\d", row, re.A)
        found = [what for many in parts for what in ([""] * int(many) if many.isdigit() else [many])]
        need(len(found) == size, f"{size} places in row `{row}`")
        places += found
    return places

class Kamisado(namedtuple("Kamisado", "board turn called points target")):  # `board`: "" or a tower such as `++B` for each square, a1 to h8
    def read(ranks, turn, called, points, target):
        need(re.fullmatch(r"\d\d?-\d\d?", points, re.A), f"points such as `2-1` instead of `{points}`")
        need(target in ("1", "3", "7", "15"), f"1, 3, 7 or 15 points to win instead of `{target}`")
        need(turn in OTHER, f"`b` or `w` to move instead of `{turn}`")
        need(called in ("-", "refill", *"bgrypvlo"), f"a called colour, `-` or `refill` instead of `{called}`")
        board = tuple(from_below(ranks, r"\+*[bgrypvloBGRYPVLO]", [8] * 8))
        return Kamisado(board, turn, called, tuple(map(int, points.split("-"))), int(target))
    def validate(self):
        letters = sorted(tower[-1] for tower in self.board if tower)
        need(letters == sorted("bgrypvloBGRYPVLO"), "one tower of each colour on each side")
        winners = sum(points >= self.target for points in self.points)
        need(winners < 2, "at most one side with the points that win")
        need(all(len(tower) <= 4 + winners for tower in self.board), f"at most {3 + winners} teeth of a tower")
        if winners:
            need(self.called == "-" and self.turn != self.result(), "`-` as called, and the loser to move")
        elif self.called not in ("-", "refill"):
            need(self.mover(self.turn, self.called), "a tower that can move: the round has ended by deadlock")
    def result(self):
        return next((player for player, points in zip("bw", self.points) if points >= self.target), None)
    def towers(self, player):
        return {tower[-1].lower(): at for at, tower in enumerate(self.board) if tower and tower.islower() == (player == "b")}
    def targets(self, at):  # maps target squares to the squares of the towers that an oshi pushes, the nearest first
        tower, teeth, targets = self.board[at], len(self.board[at]) - 1, {}
        weaker = lambda other: other.islower() != tower.islower() and len(other) <= teeth
        for sideways in -1, 0, 1:
            places = [(at % 8 + sideways * n, at // 8 + (n if tower.islower() else -n)) for n in range(1, 8)]
            line = [8 * rank + file for file, rank in places if 0 <= file < 8 and 0 <= rank < 8]
            targets.update((to, []) for to in takewhile(lambda to: not self.board[to], line[:(7, 5, 3, 1)[teeth]]))
            pushed = [*takewhile(self.board.__getitem__, line)] if sideways == 0 else []
            if 0 < len(pushed) < min(len(line), teeth + 1) and all(weaker(self.board[to]) for to in pushed):
                targets[line[0]] = pushed
        return targets
    def children(self):
        if self.called == "refill":
            return {"left": self.refill(0), "right": self.refill(7)}
        name = lambda at: "abcdefgh"[at % 8] + str(at // 8 + 1)
        starts = [at for colour, at in self.towers(self.turn).items() if self.called in ("-", colour)]
        moves = {name(at) + name(to): self.move(at, to, pushed) for at in starts for to, pushed in self.targets(at).items()}
        return moves or {"0000": self._replace(turn=OTHER[self.turn], called=COLOURS[starts[0]])}
    def move(self, at, to, pushed):
        board = list(self.board)
        for square in pushed[::-1] + [at]:
            board[square + to - at], board[square] = board[square], ""
        player, colour = (self.turn, COLOURS[pushed[-1] + to - at]) if pushed else (OTHER[self.turn], COLOURS[to])
        after = self._replace(board=tuple(board), turn=player, called=colour)
        if to // 8 == (7 if self.turn == "b" else 0):
            return after.won(self.turn, to)
        if after.mover(player, colour):
            return after
        return after.won(OTHER[self.turn], after.towers(OTHER[self.turn])[COLOURS[to]])
    def mover(self, player, colour):  # whether this call, after passes, reaches a tower that can move
        for _ in range(16):  # there are 16 towers, so after 16 passes the calls repeat
            at = self.towers(player)[colour]
            if self.targets(at):
                return True
            player, colour = OTHER[player], COLOURS[at]
        return False
    def won(self, winner, at):
        board, points, teeth = list(self.board), dict(zip("bw", self.points)), len(self.board[at]) - 1
        board[at] = "+" + board[at]
        points[winner] = max(points[winner] + 2**teeth, self.target if teeth == 3 else 0)
        return self._replace(board=tuple(board), turn=winner, called="refill", points=tuple(points.values()))
    def refill(self, flip):  # square ^ 7 is the mirror image, square ^ 63 the view from the other side
        board = [""] * 64
        for player, turned in ("b", flip), ("w", flip ^ 63):
            for place, seen in enumerate(sorted(at ^ turned for at in self.towers(player).values())):
                board[place ^ turned] = self.board[seen ^ turned]
        return self._replace(board=tuple(board), turn=OTHER[self.turn], called="-")

# Cells a1 to g4 as cube coordinates (x + y + z = 0). Opposite sides have 3 and -3 in the same coordinate.
CELLS = [(x, y, -x - y) for y in range(-3, 4) for x in range(-3, 4) if abs(x + y) <= 3]
NAMES = ["abcdefg"[y + 3] + str(x + 4 + min(y, 0)) for x, y, _ in CELLS]
NEAR = {one: {cell for cell in CELLS if max(abs(a - b) for a, b in zip(one, cell)) == 1} for one in CELLS}
SIDES = [[{cell for cell in CELLS if cell[axis] == end} for end in (-3, 3)] for axis in range(3)]
RIM = {cell for cell in CELLS if 3 in map(abs, cell)}

def joined(found, cells):  # `found` and the cells that paths within `cells` connect to it
    while more := {near for cell in found for near in NEAR[cell]} & cells - found:
        found = found | more
    return found

class Kamon(namedtuple("Kamon", "tokens owners turn last")):
    def read(tokens, owners, turn, last):
        need(turn in OTHER, f"`b` or `w` to move instead of `{turn}`")
        need(last == "-" or last in NAMES, f"a cell or `-` instead of `{last}`")
        sizes = [4, 5, 6, 7, 6, 5, 4]
        return Kamon(tuple(from_below(tokens, "[pylorg][1-6]|--", sizes)), tuple(from_below(owners, "[bw]", sizes)), turn, last)
    def validate(self):
        all_tokens = [colour + symbol for colour in "pylorg" for symbol in "123456"] + ["--"]
        need(sorted(self.tokens) == sorted(all_tokens), "each token once")
        need(not self.owners[self.tokens.index("--")], "no hexagon on the neutral token")
        black, white = map(self.owners.count, "bw")
        need(black - white == (self.turn == "w"), "hexagons by turns, Black's first")
        need((self.last == "-") == (black == 0), "the cell played last, or `-` before the first move")
        if self.last == "-":
            return
        place = NAMES.index(self.last)
        need(self.owners[place] == OTHER[self.turn], "a hexagon of the last player on the cell played last")
        if black + white == 1:
            need(sorted(map(abs, CELLS[place]))[1:].count(3) == 1, "the first hexagon on a side cell that is no corner")
        before = self._replace(owners=self.owners[:place] + ("",) + self.owners[place + 1:])
        need(not any(before.has_figure(player) for player in "bw"), "no figure before the last move")
    def children(self):
        called = set(self.tokens[NAMES.index(self.last)]) if self.last != "-" else set()
        fits = [set(token) & called if called else sorted(map(abs, cell))[1:].count(3) == 1 for token, cell in zip(self.tokens, CELLS)]
        free = [i for i in range(37) if fits[i] and not self.owners[i] and self.tokens[i] != "--"]
        return {NAMES[i]: Kamon(self.tokens, self.owners[:i] + (self.turn,) + self.owners[i + 1:], OTHER[self.turn], NAMES[i]) for i in free}
    def has_figure(self, player):  # a chain between opposite sides, or a loop
        own = {cell for cell, owner in zip(CELLS, self.owners) if owner == player}
        others = set(CELLS) - own
        return any(joined(one & own, own) & other for one, other in SIDES) or joined(RIM & others, others) != others
    def result(self):
        if self.has_figure(OTHER[self.turn]):
            return OTHER[self.turn]
        return None if self.children() else "draw" if self.owners.count("") == 1 else OTHER[self.turn]

def read(fields):
    need(len(fields) in (4, 5), f"a position of 4 or 5 fields instead of `{' '.join(fields)}`")
    return (Kamon if len(fields) == 4 else Kamisado).read(*fields)

def parse(lines):  # the claims, and the moves by claim word and position
    claims, moves = [], {}
    need(lines[:1] == ["oshi certificate 1"], "`oshi certificate 1` on the first line")
    for number, words in enumerate(map(str.split, lines[1:]), 2):
        if not words:
            continue
        try:
            if words[:1] in (["win"], ["draw"]):
                need(words[1:2] in (["b"], ["w"]), "`b` or `w` behind the word")
                position = read(words[2:])
                position.validate()
                claims.append((words[0], words[1], position, number))
            else:
                need(claims, "a claim")
                key = claims[-1][0], read(words[:-1])
                need(key not in moves, "one line for each position")
                moves[key] = words[-1], number
        except Refused as fault:
            raise Refused(f"line {number}: {fault}") from None
    need(claims, "at least one claim")
    return claims, moves

def check(lines):
    (claims, moves), shown, on_path = parse(lines), set(), set()
    for kind, player, start, number in claims:
        good, to_do = (player, "draw" if kind == "draw" else player), [(start, number, False)]
        while to_do:
            here, line, is_shown = to_do.pop()
            key = kind, player, here
            if is_shown:
                on_path.discard(key)
                shown.add(key)
                continue
            if key in on_path:
                raise Refused(f"line {line}: leads to a position that it comes from")
            if key in shown or (result := here.result()) in good:
                continue
            children = {} if result else here.children()
            if here.turn == player and any(child.result() in good for child in children.values()):
                continue
            if here.turn == player and len(children) > 1:
                move, line = moves.get((kind, here), (None, line))
                if move not in children:
                    raise Refused(f"line {line}: " + (f"`{move}` is not legal" if move else "leads to a position without a line"))
                children = {move: children[move]}
            if not children:
                raise Refused(f"line {line}: leads to a result that is not `{kind} {player}`")
            on_path.add(key)
            to_do += [(here, line, True)] + [(child, line, False) for child in children.values()]
    return f"{len(claims)} claims hold, shown by {len(moves)} moves"

def main(arguments):
    if len(arguments) != 1:
        return "usage: check_certificate.py FILE"
    try:
        data = open(arguments[0], "rb").read()
        text = (data if data.startswith(b"oshi") else zlib.decompress(data)).decode()
        print(check(text.splitlines()))
    except OSError as fault:
        return f"{arguments[0]}: {fault.strerror}"
    except (zlib.error, UnicodeDecodeError):
        return f"{arguments[0]}: expected a certificate, as text or compressed with zlib"
    except Refused as fault:
        return str(fault)

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

"""Checks a certificate by rules of its own: `python3 check_certificate.py FILE`. docs/certificates.md tells what it is."""
import re, sys, zlib
from collections import namedtuple
from itertools import takewhile

OTHER = {"b": "w", "w": "b"}
COLOURS = "bgrypvlovbylgporlybvropgyrgbolvppvlobgrygporvbylropglybvolvpyrgb"  # of the squares from a1 to h8

def from_below(rows, place):  # the places of a position line's rows, the last row first; a lone digit counts free ones
    places = re.findall(place + r"|\d", "/".join(reversed(rows.split("/"))))
    return [what for many in places for what in ([""] * int(many) if many.isdigit() else [many])]

class Kamisado(namedtuple("Kamisado", "board turn called points target")):  # `board`: nothing or a tower such as `++B`, from a1 to h8
    def read(ranks, turn, called, points, target):
        return Kamisado(tuple(from_below(ranks, r"\+*[a-zA-Z]")), turn, called, tuple(map(int, points.split("-"))), int(target))
    def result(self):
        return next((player for player, points in zip("bw", self.points) if points >= self.target), None)
    def towers(self, player):
        return {tower[-1].lower(): at for at, tower in enumerate(self.board) if tower and tower.islower() == (player == "b")}
    def targets(self, at):  # each with the squares of the towers that an oshi pushes, the nearest first
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
        for _ in range(16):  # as many as there are towers to be called: after so many passes they go round
            at = after.towers(player)[colour]
            if after.targets(at):
                return after
            player, colour = OTHER[player], COLOURS[at]
        return after.won(OTHER[self.turn], after.towers(OTHER[self.turn])[COLOURS[to]])
    def won(self, winner, at):
        board, points, teeth = list(self.board), dict(zip("bw", self.points)), len(self.board[at]) - 1
        board[at] = "+" + board[at]
        points[winner] = max(points[winner] + 2**teeth, self.target if teeth == 3 else 0)
        return self._replace(board=tuple(board), turn=winner, called="refill", points=tuple(points.values()))
    def refill(self, flip):  # exclusive or with 7 mirrors a square, with 63 it is seen from the other side
        board = [""] * 64
        for player, turned in ("b", flip), ("w", flip ^ 63):
            for place, seen in enumerate(sorted(at ^ turned for at in self.towers(player).values())):
                board[place ^ turned] = self.board[seen ^ turned]
        return self._replace(board=tuple(board), turn=OTHER[self.turn], called="-")

# The cells from a1 to g4, each as three coordinates whose sum is 0: sides that face each other have 3 and -3 in the same one.
CELLS = [(x, y, -x - y) for y in range(-3, 4) for x in range(-3, 4) if abs(x + y) <= 3]
NAMES = ["abcdefg"[y + 3] + str(x + 4 + min(y, 0)) for x, y, _ in CELLS]
NEAR = {one: {cell for cell in CELLS if max(abs(a - b) for a, b in zip(one, cell)) == 1} for one in CELLS}
SIDES = [[{cell for cell in CELLS if cell[axis] == end} for end in (-3, 3)] for axis in range(3)]
RIM = {cell for cell in CELLS if 3 in map(abs, cell)}

def joined(found, cells):  # those that paths over `cells` join to them
    while more := {near for cell in found for near in NEAR[cell]} & cells - found:
        found = found | more
    return found

class Kamon(namedtuple("Kamon", "tokens owners turn last")):
    def read(tokens, owners, turn, last):
        return Kamon(tuple(from_below(tokens, r"\w\d|--")), tuple(from_below(owners, "[bw]")), turn, last)
    def children(self):
        called = set(self.tokens[NAMES.index(self.last)]) if self.last != "-" else set()
        fits = [set(token) & called if called else sorted(map(abs, cell))[1:].count(3) == 1 for token, cell in zip(self.tokens, CELLS)]
        free = [i for i in range(37) if fits[i] and not self.owners[i] and self.tokens[i] != "--"]
        return {NAMES[i]: Kamon(self.tokens, self.owners[:i] + (self.turn,) + self.owners[i + 1:], OTHER[self.turn], NAMES[i]) for i in free}
    def result(self):
        own = {cell for cell, owner in zip(CELLS, self.owners) if owner == OTHER[self.turn]}
        others = set(CELLS) - own
        if any(joined(one & own, own) & other for one, other in SIDES) or joined(RIM & others, others) != others:
            return OTHER[self.turn]
        return None if self.children() else "draw" if self.owners.count("") == 1 else OTHER[self.turn]

def check(lines):
    read = lambda fields: (Kamon if len(fields) == 4 else Kamisado).read(*fields)
    claims, moves, seen = [], {}, set()
    lines[:1] == ["oshi certificate 1"] or sys.exit("line 1: expected `oshi certificate 1`")
    for number, words in enumerate(map(str.split, lines[1:]), 2):
        if words[0] in ("win", "draw"):
            claims.append((words[0], words[1], read(words[2:]), number))
        else:
            moves[claims[-1][0], read(words[:-1])] = words[-1], number
    for kind, player, start, number in claims:
        good, to_do = (player, "draw" if kind == "draw" else player), [(start, number)]
        while to_do:
            here, line = to_do.pop()
            if (kind, player, here) in seen or (result := here.result()) in good:
                continue
            seen.add((kind, player, here))
            children = {} if result else here.children()
            if here.turn == player and any(child.result() in good for child in children.values()):
                continue
            if here.turn == player and len(children) > 1:
                move, line = moves.get((kind, here), (None, line))
                move in children or sys.exit(f"line {line}: " + (f"`{move}` is not legal" if move else "leads to where no line tells the move"))
                children = {move: children[move]}
            children or sys.exit(f"line {line}: leads to a result that is not `{kind} {player}`")
            to_do += [(child, line) for child in children.values()]
    print(f"{len(claims)} claims hold, shown by {len(moves)} moves")

if __name__ == "__main__":
    data = open(sys.argv[1], "rb").read()
    check((data if data.startswith(b"oshi") else zlib.decompress(data)).decode().splitlines())

// The rules of a round without Sumos, which cover the whole simple game. Positions are immutable.

// Square colours from a1 to h8.
const COLOURS = "bgrypvlovbylgporlybvropgyrgbolvppvlobgrygporvbylropglybvolvpyrgb";
const OTHER = { b: "w", w: "b" };

export const name = (square) => "abcdefgh"[square % 8] + (Math.floor(square / 8) + 1);
export const colour = (square) => COLOURS[square];

/**
 * A position: towers by square from a1 to h8 (a letter, lower case for Black, or null), the side to
 * move and the called colour or null.
 */
export class Round {
  constructor(board, turn = "b", called = null, winner = null) {
    Object.assign(this, { board, turn, called, winner });
  }

  static start() {
    const home = (square) =>
      square < 8 ? colour(square) : square >= 56 ? colour(square).toUpperCase() : null;
    return new Round(Array.from({ length: 64 }, (_, square) => home(square)));
  }

  /** The first three fields of the position line. They identify a position of the simple game. */
  key() {
    const rank = (row) =>
      this.board
        .slice(8 * row, 8 * row + 8)
        .map((tower) => tower ?? ".")
        .join("");
    const ranks = [7, 6, 5, 4, 3, 2, 1, 0].map((row) =>
      rank(row).replace(/\.+/g, (free) => free.length),
    );
    return `${ranks.join("/")} ${this.turn} ${this.called ?? "-"}`;
  }

  owner(square) {
    const tower = this.board[square];
    return tower && (tower === tower.toLowerCase() ? "b" : "w");
  }

  find(player, called) {
    return this.board.indexOf(player === "b" ? called : called.toUpperCase());
  }

  targets(from) {
    const targets = [];
    const ahead = this.owner(from) === "b" ? 1 : -1;
    for (const sideways of [-1, 0, 1]) {
      for (let steps = 1; ; steps++) {
        const [file, row] = [(from % 8) + sideways * steps, Math.floor(from / 8) + ahead * steps];
        if (file < 0 || file > 7 || row < 0 || row > 7 || this.board[8 * row + file]) break;
        targets.push(8 * row + file);
      }
    }
    return targets;
  }

  /** Legal moves with text, squares and resulting position. A pass has no squares. */
  moves() {
    if (this.winner) return [];
    const starts = this.called
      ? [this.find(this.turn, this.called)]
      : [...this.board.keys()].filter((at) => this.owner(at) === this.turn);
    const moves = starts.flatMap((from) =>
      this.targets(from).map((to) => ({
        text: name(from) + name(to),
        from,
        to,
        next: this.move(from, to),
      })),
    );
    if (moves.length > 0) return moves;
    return [{ text: "0000", next: new Round(this.board, OTHER[this.turn], colour(starts[0])) }];
  }

  move(from, to) {
    const board = this.board.with(to, this.board[from]).with(from, null);
    const next = new Round(board, OTHER[this.turn], colour(to));
    if (to >= 56 || to < 8) return new Round(board, next.turn, null, this.turn);
    let [player, called] = [next.turn, next.called];
    // There are 16 towers: after 16 passes in a row no called tower can move. The last mover loses.
    for (let passes = 0; passes < 16; passes++) {
      const at = next.find(player, called);
      if (next.targets(at).length > 0) return next;
      [player, called] = [OTHER[player], colour(at)];
    }
    return new Round(board, next.turn, null, next.turn);
  }
}

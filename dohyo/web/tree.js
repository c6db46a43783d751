// A game as a tree of positions. The first child of a node continues its main line.

export class Tree {
  constructor({ nodes, evals = {}, marks = {}, ...game }) {
    Object.assign(this, game);
    this.evals = evals ?? {};
    this.marks = marks ?? {};
    /** What analysis has shown in this tab. */
    this.seen = new Map();
    this.nodes = new Map();
    this.kids = new Map();
    nodes.forEach((node) => this.add(node));
    /** The head that the order of the children was last brought in line with. */
    this.settled = this.head;
  }

  /** Adds a node, or replaces what is known of it. */
  add(node) {
    const isNew = !this.nodes.has(node.id);
    this.nodes.set(node.id, node);
    if (!isNew) return;
    this.kids.set(node.id, []);
    if (node.parent === null || node.parent === undefined) this.root = node.id;
    else this.kids.get(node.parent)?.push(node.id);
  }

  /**
   * Puts the moves of the game first among their siblings, as the server does: those that have been played since the head was known, or
   * all of them where a game goes on from a position. Whether a line has changed.
   */
  settle({ all = false } = {}) {
    if (!this.nodes.has(this.head)) return false;
    const before = new Set(all ? [] : this.pathTo(this.settled));
    const wrong = this.pathTo(this.head).filter((id) => !before.has(id) && id !== this.root && this.childrenOf(this.get(id).parent)[0] !== id);
    for (const id of wrong) {
      const siblings = this.kids.get(this.get(id).parent);
      siblings.unshift(...siblings.splice(siblings.indexOf(id), 1));
    }
    this.settled = this.head;
    return wrong.length > 0;
  }

  /** Removes a node and all that follows it. */
  prune(id) {
    const node = this.nodes.get(id);
    if (!node) return;
    this.childrenOf(id).slice().forEach((child) => this.prune(child));
    const siblings = this.kids.get(node.parent);
    siblings?.splice(siblings.indexOf(id), 1);
    if (this.settled === id) this.settled = node.parent;
    this.nodes.delete(id);
    this.kids.delete(id);
  }

  get(id) {
    return this.nodes.get(id);
  }

  parentOf(id) {
    return this.nodes.get(this.nodes.get(id)?.parent);
  }

  childrenOf(id) {
    return this.kids.get(id) ?? [];
  }

  /** The player whose move led to a node. */
  moverOf(id) {
    return this.parentOf(id)?.turn;
  }

  /** The numbers of all nodes from the start to this one. */
  pathTo(id) {
    const path = [];
    for (let node = this.nodes.get(id); node; node = this.nodes.get(node.parent)) path.unshift(node.id);
    return path;
  }

  /** The line that a node is on, from the start through the node to its end. */
  lineThrough(id) {
    const line = this.pathTo(id);
    for (let next = this.childrenOf(id)[0]; next !== undefined; next = this.childrenOf(next)[0]) line.push(next);
    return line;
  }

  /**
   * The numbers of a line's moves: the round that each is played in, if rounds are counted, and its pair, a move of Black's and the
   * answer; whoever moves twice begins a pair.
   */
  numbersOf(line) {
    const numbers = new Map();
    let number = 0;
    let round;
    let pair = [];
    for (const id of line.slice(1)) {
      const before = this.parentOf(id);
      if (pair.length === 0 || before.turn === 0 || pair.includes(before.turn) || before.round !== round) {
        number++;
        pair = [];
      }
      round = before.round;
      pair.push(before.turn);
      numbers.set(id, { number, round: before.points ? round : null });
    }
    return numbers;
  }

  isAncestor(id, other) {
    return this.pathTo(other).includes(id);
  }

  /** The chance that is known for a node: that of a review, or that of this tab's analysis. */
  evalOf(id) {
    return this.seen.get(id) ?? this.evals[id] ?? null;
  }
}

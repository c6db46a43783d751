// A game as a tree of positions. The first child of a node continues its main line.

export class Tree {
  constructor({ nodes, evals = {}, marks = {}, ...game }) {
    Object.assign(this, game);
    this.evals = evals ?? {};
    this.marks = marks ?? {};
    /** Evaluations from this tab's analysis, by node. */
    this.analysed = new Map();
    this.nodes = new Map();
    this.children = new Map();
    nodes.forEach((node) => this.add(node));
    /** The head at the last update of the order. */
    this.orderedHead = this.head;
  }

  /** Adds a node or replaces it. */
  add(node) {
    const isNew = !this.nodes.has(node.id);
    this.nodes.set(node.id, node);
    if (!isNew) return;
    this.children.set(node.id, []);
    if (node.parent === null || node.parent === undefined) this.root = node.id;
    else this.children.get(node.parent)?.push(node.id);
  }

  /**
   * Moves the game's nodes to the front of their siblings, as the server does. Covers the moves
   * since the last update or, with `all`, the whole game. Returns whether the order has changed.
   */
  updateOrder({ all = false } = {}) {
    if (!this.nodes.has(this.head)) return false;
    const before = new Set(all ? [] : this.pathTo(this.orderedHead));
    const wrong = this.pathTo(this.head).filter(
      (id) => !before.has(id) && id !== this.root && this.childrenOf(this.get(id).parent)[0] !== id,
    );
    for (const id of wrong) {
      const siblings = this.children.get(this.get(id).parent);
      siblings.unshift(...siblings.splice(siblings.indexOf(id), 1));
    }
    this.orderedHead = this.head;
    return wrong.length > 0;
  }

  /** Removes a node and its descendants. */
  prune(id) {
    const node = this.nodes.get(id);
    if (!node) return;
    this.childrenOf(id)
      .slice()
      .forEach((child) => this.prune(child));
    const siblings = this.children.get(node.parent);
    siblings?.splice(siblings.indexOf(id), 1);
    if (this.orderedHead === id) this.orderedHead = node.parent;
    this.nodes.delete(id);
    this.children.delete(id);
  }

  get(id) {
    return this.nodes.get(id);
  }

  parentOf(id) {
    return this.nodes.get(this.nodes.get(id)?.parent);
  }

  childrenOf(id) {
    return this.children.get(id) ?? [];
  }

  /** The player who made the move to a node. */
  moverOf(id) {
    return this.parentOf(id)?.turn;
  }

  /** The numbers of the nodes from the root to this one. */
  pathTo(id) {
    const path = [];
    for (let node = this.nodes.get(id); node; node = this.nodes.get(node.parent))
      path.unshift(node.id);
    return path;
  }

  /** The line through a node, from the root to the end of its main line. */
  lineThrough(id) {
    const line = this.pathTo(id);
    for (let next = this.childrenOf(id)[0]; next !== undefined; next = this.childrenOf(next)[0])
      line.push(next);
    return line;
  }

  /**
   * Numbers the moves of a line: the round, if the game has rounds, and the pair (Black's move and
   * the answer). A second move by the same player starts a new pair.
   */
  numbersOf(line) {
    const numbers = new Map();
    let number = 0;
    let round;
    let pair = [];
    for (const id of line.slice(1)) {
      const before = this.parentOf(id);
      if (
        pair.length === 0 ||
        before.turn === 0 ||
        pair.includes(before.turn) ||
        before.round !== round
      ) {
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

  /** The evaluation of a node, from this tab's analysis or from a review. */
  evalOf(id) {
    return this.analysed.get(id) ?? this.evals[id] ?? null;
  }
}

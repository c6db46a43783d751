// What comes from the server changes what this tab knows.

import { ask, send } from "./socket.js";
import { goTo, on, state, tell } from "./state.js";
import { toast } from "./toast.js";
import { Tree } from "./tree.js";
import { word } from "./words.js";

const receivers = {
  welcome(message) {
    state.welcome = message;
    tell("welcome");
  },
  games({ games, gone = [], whole }) {
    state.games = whole ? games : merged(games, gone);
    if (state.game && !state.games.some(({ id }) => id === state.game.id)) forget();
    tell("games");
  },
  game: receiveGame,
  node({ game, node }) {
    if (state.game?.id !== game) return;
    state.game.add(node);
    expected.get(node.id)?.();
    expected.delete(node.id);
    tell("tree");
  },
  head({ game, head, state: phase, result, reason, clock }) {
    if (state.game?.id !== game) return;
    const before = state.game.head;
    Object.assign(state.game, { head, state: phase, result, reason, clock, clockSince: performance.now() });
    if (phase !== "playing") state.thinking = null;
    if (state.game.settle()) tell("tree");
    tell("head", { before });
  },
  players({ game, is: _kind, tag: _tag, ...changes }) {
    if (state.game?.id !== game) return;
    const before = state.game.head;
    Object.assign(state.game, changes, changes.clock ? { clockSince: performance.now() } : {});
    // Whoever thought may be somebody else now; an engine that is to move tells of itself again.
    state.thinking = null;
    if (state.game.settle({ all: state.game.head !== before })) tell("tree");
    tell("head");
  },
  pruned({ game, node }) {
    if (state.game?.id !== game) return;
    const path = state.game.pathTo(state.at);
    const place = path.indexOf(node);
    const parent = state.game.get(node)?.parent;
    state.game.prune(node);
    if (place >= 0) goTo(parent, { glide: true, byHand: false });
    tell("tree");
  },
  thinking(message) {
    if (state.game?.id !== message.game) return;
    state.thinking = message;
    tell("thinking");
  },
  analysis(message) {
    if (state.game?.id !== message.game || !message.lines?.length) return;
    const [best] = message.lines;
    const { black, score, proven } = best;
    state.game.seen.set(message.node, { black, score, proven, best: best.moves[0], bestName: best.names[0] });
    if (message.node !== state.at) return;
    state.analysis = message;
    tell("analysis");
  },
  eval({ game, node, eval: value }) {
    if (state.game?.id !== game) return;
    state.game.evals[node] = value;
    tell("review");
  },
  review(message) {
    if (state.game?.id !== message.game) return;
    state.game.review = message;
    if (message.evals) Object.assign(state.game.evals, message.evals);
    if (message.marks) state.game.marks = message.marks;
    tell("review");
  },
  message({ game, kind, text }) {
    if (!game || game === state.game?.id) toast(text, kind);
  },
  tournament(message) {
    tell("tournament", message);
  },
  error({ tag, text }) {
    if (tag === undefined || tag === null) toast(text, "error");
  },
};

/** Merges changed entries into the list and drops removed games; the last changed comes first. */
function merged(entries, gone) {
  const changed = new Set([...gone, ...entries.map(({ id }) => id)]);
  const others = state.games.filter(({ id }) => !changed.has(id));
  return [...entries, ...others].sort((one, other) => other.changed - one.changed);
}

export function receive(message) {
  receivers[message.is]?.(message);
}

/** Who waits for a node, by its number. */
const expected = new Map();

/** Plays a move after a node of the game on the board; gives the number of the node that it leads to, once it is here. */
export async function playMove(node, move, more = {}) {
  const { game } = state;
  const { node: id } = await ask({ do: "play", game: game.id, node, move, ...more });
  if (!game.get(id)) await new Promise((resolve) => expected.set(id, resolve));
  return id;
}

/** Which game this tab wants to see; another that arrives, as the answer to an import, is not shown. */
let wanted = null;
export const wantedGame = () => wanted;

/** Asks for a game that is to be shown, by its number unless it is to get one; where it is refused, the one before stays wanted. */
export async function askForGame(message, id = null) {
  const before = wanted;
  wanted = id;
  try {
    await ask(message);
  } catch (error) {
    if (wanted === id) wanted = before;
    throw error;
  }
}

/** The game on the board is there no more. */
function forget() {
  Object.assign(state, { game: null, at: null, follows: true, thinking: null, analysis: null });
  wanted = null;
  expected.clear();
  toast(word("deleted"), "warning");
  tell("gone");
}

function receiveGame({ is: _kind, tag: _tag, ...message }) {
  const before = state.game;
  if (wanted !== null && wanted !== message.id) {
    // The server has opened it for this tab: its clock and its engine would run unseen.
    if (before?.id !== message.id) send({ do: "close", game: message.id });
    return;
  }
  wanted = message.id;
  const isSame = before?.id === message.id;
  if (before && !isSame) send({ do: "close", game: before.id });
  const game = new Tree({ ...message, clockSince: performance.now() });
  if (isSame) {
    game.seen = before.seen;
    // One that was under way the server tells of again, if it still is.
    if (before.review?.finished) game.review ??= before.review;
  }
  state.game = game;
  expected.clear();
  const stays = isSame && game.get(state.at) && !(state.follows && state.at === before.head);
  if (!stays) {
    state.at = game.get(game.head) ? game.head : game.root;
    state.analysis = null;
    state.follows = true;
  }
  if (!isSame) state.thinking = null;
  tell("game", { isSame });
}

on("game", () => tell("tree"));

// Applies the server's messages to the state of this tab.

import { request, send } from "./socket.js";
import { goTo, on, state, emit } from "./state.js";
import { toast } from "./toast.js";
import { Tree } from "./tree.js";
import { word } from "./words.js";

const receivers = {
  welcome(message) {
    state.welcome = message;
    emit("welcome");
  },
  games({ games, gone = [], whole }) {
    state.games = whole ? games : mergeGames(games, gone);
    if (state.game && !state.games.some(({ id }) => id === state.game.id)) clearGame();
    emit("games");
  },
  game: receiveGame,
  node({ game, node }) {
    if (state.game?.id !== game) return;
    state.game.add(node);
    pendingNodes.get(node.id)?.();
    pendingNodes.delete(node.id);
    emit("tree");
  },
  head({ game, head, state: phase, result, reason, clock }) {
    if (state.game?.id !== game) return;
    const before = state.game.head;
    Object.assign(state.game, {
      head,
      state: phase,
      result,
      reason,
      clock,
      clockSince: performance.now(),
    });
    if (phase !== "playing") state.thinking = null;
    if (state.game.updateOrder()) emit("tree");
    emit("head", { before });
  },
  players({ game, is: _kind, tag: _tag, ...changes }) {
    if (state.game?.id !== game) return;
    const before = state.game.head;
    Object.assign(state.game, changes, changes.clock ? { clockSince: performance.now() } : {});
    // Players may have changed. An engine that is to move reports again.
    state.thinking = null;
    if (state.game.updateOrder({ all: state.game.head !== before })) emit("tree");
    emit("head");
  },
  pruned({ game, node }) {
    if (state.game?.id !== game) return;
    const path = state.game.pathTo(state.at);
    const place = path.indexOf(node);
    const parent = state.game.get(node)?.parent;
    state.game.prune(node);
    if (place >= 0) goTo(parent, { glide: true, byHand: false });
    emit("tree");
  },
  thinking(message) {
    if (state.game?.id !== message.game) return;
    state.thinking = message;
    emit("thinking");
  },
  analysis(message) {
    if (state.game?.id !== message.game || !message.lines?.length) return;
    const [best] = message.lines;
    const { black, score, proven } = best;
    state.game.analysed.set(message.node, {
      black,
      score,
      proven,
      best: best.moves[0],
      bestName: best.names[0],
    });
    if (message.node !== state.at) return;
    state.analysis = message;
    emit("analysis");
  },
  eval({ game, node, eval: value }) {
    if (state.game?.id !== game) return;
    state.game.evals[node] = value;
    emit("review");
  },
  review(message) {
    if (state.game?.id !== message.game) return;
    state.game.review = message;
    if (message.evals) Object.assign(state.game.evals, message.evals);
    if (message.marks) state.game.marks = message.marks;
    emit("review");
  },
  message({ game, kind, text }) {
    if (!game || game === state.game?.id) toast(text, kind);
  },
  tournament(message) {
    emit("tournament", message);
  },
  error({ tag, text }) {
    if (tag === undefined || tag === null) toast(text, "error");
  },
};

/** Merges changed entries into the list and drops removed games; the last changed comes first. */
function mergeGames(entries, gone) {
  const changed = new Set([...gone, ...entries.map(({ id }) => id)]);
  const others = state.games.filter(({ id }) => !changed.has(id));
  return [...entries, ...others].sort((one, other) => other.changed - one.changed);
}

export function receive(message) {
  receivers[message.is]?.(message);
}

/** Callbacks for nodes that have not arrived yet, by node number. */
const pendingNodes = new Map();

/**
 * Plays a move after a node of the current game. Resolves to the number of the resulting node once
 * it has arrived.
 */
export async function playMove(node, move, more = {}) {
  const { game } = state;
  const { node: id } = await request({ do: "play", game: game.id, node, move, ...more });
  if (!game.get(id)) await new Promise((resolve) => pendingNodes.set(id, resolve));
  return id;
}

/**
 * The game this tab wants to show. Other games that arrive, such as imported ones, are not shown.
 */
let wanted = null;
export const wantedGame = () => wanted;

/**
 * Requests a game and shows it; `id` is its number, or null for a new game. If the request fails,
 * the previous game stays wanted.
 */
export async function requestGame(message, id = null) {
  const before = wanted;
  wanted = id;
  try {
    await request(message);
  } catch (error) {
    if (wanted === id) wanted = before;
    throw error;
  }
}

/** Clears the board after its game was deleted. */
function clearGame() {
  Object.assign(state, { game: null, at: null, follows: true, thinking: null, analysis: null });
  wanted = null;
  pendingNodes.clear();
  toast(word("deleted"), "warning");
  emit("gone");
}

function receiveGame({ is: _kind, tag: _tag, ...message }) {
  const before = state.game;
  if (wanted !== null && wanted !== message.id) {
    // The server has opened this game for the tab. Close it, so that its clock and engine do not
    // run.
    if (before?.id !== message.id) send({ do: "close", game: message.id });
    return;
  }
  wanted = message.id;
  const isSame = before?.id === message.id;
  if (before && !isSame) send({ do: "close", game: before.id });
  const game = new Tree({ ...message, clockSince: performance.now() });
  if (isSame) {
    game.analysed = before.analysed;
    // A finished review is kept. The server reports a running one again.
    if (before.review?.finished) game.review ??= before.review;
  }
  state.game = game;
  pendingNodes.clear();
  const stays = isSame && game.get(state.at) && !(state.follows && state.at === before.head);
  if (!stays) {
    state.at = game.get(game.head) ? game.head : game.root;
    state.analysis = null;
    state.follows = true;
  }
  if (!isSame) state.thinking = null;
  emit("game", { isSame });
}

on("game", () => emit("tree"));

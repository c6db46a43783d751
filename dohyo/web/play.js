// The game on the board: its display, the user's commands, and how the board follows the game.

import { BoardView } from "./boardview.js";
import { miniature } from "./stage.js";
import { addCommands, can } from "./commands.js";
import { confirm } from "./dialogs.js";
import { byId, make, oncePerFrame } from "./dom.js";
import { icon } from "./icons.js";
import { showPlayers } from "./players.js";
import { playMove } from "./session.js";
import { changeSettings, prefersReducedMotion, settings } from "./settings.js";
import { request } from "./socket.js";
import { current, goTo, isHumanVsEngine, on, state, emit, variantOf } from "./state.js";
import { showError, announce } from "./toast.js";
import { playerName, plies, reasonOf, side, word } from "./words.js";

/** Minimum display time of a move before the next one, in milliseconds, by kind of move. */
const DWELL = { pass: 750, oshi: 500, refill: 800, move: 260, drop: 120 };
/** Delay in milliseconds before a blocked tower passes for the user. */
const PASS_DELAY = 600;

export const board = new BoardView(byId("board"), { onMove: play });

let turned = false;
let hint = null;
let isHintPending = false;

/** A single human player sits at the bottom. Boards without two ends are never flipped for that. */
function isFlipped() {
  const { game } = state;
  const persons = game.players.filter((player) => player.kind === "person").length;
  const sitsAbove =
    persons === 1 && game.players[1].kind === "person" && variantOf(game.variant)?.points;
  return Boolean(sitsAbove) !== turned;
}

/**
 * Whether the user may move in the current position. At the head of a running game that takes a
 * human player's turn. Elsewhere it takes a user who went there, not a board on its way to the
 * head.
 */
function canMoveHere() {
  const node = current();
  if (!node || node.end || node.turn > 1) return false;
  const { game } = state;
  if (game.state !== "playing") return true;
  return state.at === game.head ? game.players[node.turn].kind === "person" : !state.follows;
}

// Display.

function showNode({ glide = false } = {}) {
  const node = current();
  if (!node) return;
  if (hint?.node !== node.id) hint = null;
  board.setStage(state.game.stage, isFlipped());
  const isOther = board.show(node.scene, { glide });
  offerMoves({ isAgain: !isOther });
  if (node.kind === "pass") board.shake(state.game.parentOf(node.id)?.scene.called);
  showStatus();
  showRefill();
  showActions();
  showPlayers(board.stage, isFlipped());
  emit("arrows");
  passIfBlocked();
}

function offerMoves({ isAgain }) {
  board.offer(canMoveHere() ? current().legal : [], { isAgain });
}

function resultText() {
  const { game } = state;
  const end = current().end;
  if (!end && state.at !== game.head) return null;
  const result = end?.result ?? game.result;
  if (!result || result === "*") return null;
  const winner = { "1-0": 0, "0-1": 1 }[result];
  const text = winner === undefined ? word("drawn") : word("wins", { player: side(winner) });
  const reason = end ? end.how : reasonOf(game.reason);
  return reason ? word("result.how", { result: text, how: reason }) : text;
}

function showStatus() {
  const node = current();
  if (!node) return;
  const result = resultText();
  const isPaused = state.game.state === "paused";
  const [first, ...rest] = [
    ...(isPaused ? [word("paused")] : []),
    ...(result ?? node.status).split("; "),
  ];
  byId("status").classList.toggle("over", result !== null);
  byId("status").replaceChildren(
    make("b", { text: first }),
    ...rest.map((text) => make("span", { class: "muted", text })),
  );
  const remarks =
    node.kind === "pass" ? [word("passed", { player: side(state.game.moverOf(node.id)) })] : [];
  if (node.kind === "oshi") remarks.push(word("pushed", { player: side(node.turn) }));
  if (hint) remarks.push(word("hint.is", { move: hint.name }));
  const notes = [...remarks, ...(node.notes ?? [])];
  byId("note").hidden = !notes.length;
  byId("note").textContent = notes.join(" · ");
  const isBranch = state.game.state === "playing" && state.at !== state.game.head && !state.follows;
  byId("play").classList.toggle("looks-back", isBranch);
}

function showRefill() {
  const node = current();
  const box = byId("refill");
  const isChoice = node.refills && canMoveHere();
  box.hidden = !isChoice;
  // If the choice was made before, keep the board visible.
  box.classList.toggle("small", state.game.childrenOf(node.id).length > 0);
  if (!isChoice) return;
  byId("refill-title").textContent = word("refill.choose", { player: side(node.turn) });
  const choices = Object.entries(node.refills).map(([move, scene], index) =>
    make(
      "button",
      { type: "button", class: "refill-choice", data: { move }, on: { click: () => play(move) } },
      miniature(state.game.stage, { ...scene, from: null, to: null, called: null }, isFlipped()),
      make("span", { text: word(`refill.${move}`) }),
      make("kbd", { text: String(index + 1), "aria-hidden": "true" }),
    ),
  );
  box.querySelector(".refill-choices").replaceChildren(...choices);
}

const showActions = oncePerFrame(() => {
  if (!state.game) return;
  const { game } = state;
  const isPlaying = game.state === "playing";
  const isWatched = game.players.every((player) => player.kind === "engine");
  const names = [
    state.at !== game.head && isPlaying && !state.follows ? "head" : null,
    can("pass") ? "pass" : null,
    isPlaying || game.state === "over" ? "takeback" : null,
    game.state === "over" ? "again" : null,
    game.state === "paused" ? "resume" : isPlaying && (isWatched || game.clock) ? "pause" : null,
    isPlaying ? "hint" : null,
    isPlaying && !isWatched ? "resign" : null,
    isHumanVsEngine() ? "swap" : null,
    !isHumanVsEngine() || (state.at !== game.head && !state.follows) ? "goon" : null,
    "flip",
    "export",
  ];
  const buttons = names.filter(Boolean).map((name) =>
    make(
      "button",
      {
        type: "button",
        data: { do: name },
        disabled: !can(name),
        class: ["head", "pass", "again", "resume"].includes(name) ? "main" : null,
      },
      icon(ICONS[name] ?? name),
      make("span", { text: word(`do.${name}`) }),
    ),
  );
  const before = [...byId("actions").children]
    .map((it) => it.dataset.do + it.disabled + it.textContent)
    .join();
  if (before === buttons.map((it) => it.dataset.do + it.disabled + it.textContent).join()) return;
  const focused = document.activeElement?.closest?.("#actions [data-do]")?.dataset.do;
  byId("actions").replaceChildren(...buttons);
  if (focused) byId("actions").querySelector(`[data-do="${focused}"]`)?.focus();
});
const ICONS = { head: "last", export: "share" };

// Moves.

/** Plays a move in the current position. */
async function play(move) {
  const { game, at } = state;
  const isTheirs = game.players[current().turn]?.kind === "person";
  const isGame = ["playing", "paused"].includes(game.state) && at === game.head && isTheirs;
  state.isOwnMove = true;
  try {
    // A move in a paused game resumes it.
    if (isGame && game.state === "paused") await gameRequest("pause", { on: false });
    const id = await playMove(at, move);
    if (state.game?.id === game.id && state.at === at) goTo(id, { byHand: !isGame });
    advance();
  } catch (error) {
    showError(error);
    showNode();
  }
}

let timer = 0;

/** Moves one ply at a time towards the head of the game, so that each move is visible. */
function advance() {
  clearTimeout(timer);
  const { game } = state;
  if (
    !game ||
    game.state === "free" ||
    !state.follows ||
    !game.get(game.head) ||
    state.at === game.head
  )
    return;
  // The user's own move is shown before the server confirms it.
  if (game.isAncestor(game.head, state.at)) return;
  const path = game.pathTo(game.head);
  const here = path.indexOf(state.at);
  const next = path[here + 1];
  const isFar = here < 0 || path.length - here > 12;
  const wait =
    isFar || prefersReducedMotion()
      ? 0
      : Math.max(0, shownAt + (DWELL[current()?.kind] ?? 0) - performance.now());
  const step = () => {
    goTo(isFar ? game.head : next, { byHand: false });
    advance();
  };
  if (wait > 0) timer = setTimeout(step, wait);
  else step();
}

let shownAt = -Infinity;

let blocked = null;

/**
 * Passes for a blocked tower after a delay. Called again when the server confirms that the game has
 * reached this position.
 */
function passIfBlocked() {
  const node = current();
  if (!settings.passes || !can("pass") || blocked === node) return;
  if (
    state.game.state === "paused" ||
    (state.game.state === "playing" ? state.at !== state.game.head : !state.isOwnMove)
  )
    return;
  blocked = node;
  board.shake(node.scene.called);
  setTimeout(() => {
    blocked = null;
    if (current() === node && can("pass")) play("0000");
  }, PASS_DELAY);
}

const step = (wanted) => () => {
  state.isOwnMove = false;
  if (wanted !== undefined && wanted !== null) goTo(wanted);
};

const hasGame = () => Boolean(state.game);
const hasHuman = () => state.game?.players.some((player) => player.kind === "person");
const gameRequest = (what, more = {}) => request({ do: what, game: state.game.id, ...more });
/** Whether a human player had a choice before the head. The server requires this for a takeback. */
const hasHumanChoice = () =>
  state.game
    .pathTo(state.game.head)
    .slice(0, -1)
    .some((id) => {
      const { turn, legal } = state.game.get(id);
      return state.game.players[turn]?.kind === "person" && legal.length > 1;
    });
const isPlaying = () => state.game?.state === "playing";
const nextNode = () => {
  const path = state.game.pathTo(state.game.head);
  const children = state.game.childrenOf(state.at);
  // First choice is the line the user came from, then the line to the head, then the main line.
  return (
    children.find((id) => lastPath.includes(id)) ??
    children.find((id) => path.includes(id)) ??
    children[0]
  );
};
let lastPath = [];

addCommands({
  first: { can: hasGame, run: () => step(state.game.root)() },
  back: { can: hasGame, run: () => step(current().parent)() },
  forward: { can: hasGame, run: () => step(nextNode())() },
  last: { can: hasGame, run: () => step(state.game.lineThrough(nextNode() ?? state.at).at(-1))() },
  head: {
    can: () => hasGame() && state.at !== state.game.head,
    run: () => step(state.game.head)(),
  },
  pass: {
    can: () => canMoveHere() && current().legal.length === 1 && current().legal[0][0] === "0000",
    run: () => play("0000"),
  },
  left: {
    can: () => canMoveHere() && Boolean(current().refills),
    run: () => play(Object.keys(current().refills)[0]),
  },
  right: {
    can: () => canMoveHere() && Boolean(current().refills),
    run: () => play(Object.keys(current().refills)[1]),
  },
  takeback: {
    can: () => hasGame() && ["playing", "over"].includes(state.game.state) && hasHumanChoice(),
    run: () => {
      goTo(state.game.head);
      return gameRequest("takeback");
    },
  },
  hint: {
    can: () => canMoveHere() && !isHintPending,
    async run() {
      const node = state.at;
      isHintPending = true;
      byId("note").hidden = false;
      byId("note").textContent = word("hint.wait");
      try {
        const answer = await gameRequest("hint", { node });
        if (state.at === node) {
          hint = { ...answer, node };
          announce(word("hint.is", { move: hint.name }));
          emit("arrows");
        }
      } finally {
        isHintPending = false;
        showStatus();
      }
    },
  },
  resign: {
    can: () => isPlaying() && hasHuman(),
    async run() {
      if (await confirm(word("resign.sure"), word("do.resign"))) await gameRequest("resign");
    },
  },
  swap: { can: () => isPlaying() && hasHuman(), run: () => gameRequest("swap") },
  pause: {
    can: () => ["playing", "paused"].includes(state.game?.state),
    run: () => gameRequest("pause", { on: isPlaying() }),
  },
  resume: {
    can: () => state.game?.state === "paused",
    run: () => gameRequest("pause", { on: false }),
  },
  flip: {
    can: hasGame,
    run: () => {
      turned = !turned;
      showNode();
    },
  },
  promote: { can: hasGame, run: () => gameRequest("promote", { node: state.at }) },
  prune: {
    can: () => hasGame() && state.at !== state.game.root,
    async run() {
      const node = state.at;
      // Moves that were played cannot be restored, so they need a confirmation. Variations do not.
      const isOfGame = state.game.isAncestor(node, state.game.head);
      if (!isOfGame || (await confirm(word("prune.sure"), word("do.prune"))))
        await gameRequest("prune", { node });
    },
  },
  squares: { can: hasGame, run: () => board.focus() },
  letters: () => changeSettings({ letters: !settings.letters }),
});

/** The hinted move, for the arrows. */
export const hintedMove = () => hint?.move;

on("game", ({ isSame }) => {
  byId("play").classList.remove("no-game");
  if (!isSame) {
    turned = false;
    lastPath = [];
  }
  shownAt = performance.now();
  showNode();
  const moves = state.game.pathTo(state.at).length;
  if (!isSame)
    announce(
      word("game.opened", {
        players: state.game.players.map((player) => playerName(player.name)).join(" – "),
        plies: plies(moves - 1),
      }),
    );
  if (isSame) advance();
});
on("gone", () => byId("play").classList.add("no-game"));
on("view", ({ glide }) => {
  if (!state.game.isAncestor(state.at, lastPath.at(-1))) lastPath = state.game.pathTo(state.at);
  shownAt = performance.now();
  const node = current();
  showNode({ glide });
  const mover = state.game.moverOf(node.id);
  announce(
    [
      mover === undefined ? "" : `${side(mover)} ${node.name}.`,
      resultText() ?? node.status,
      ...(node.notes ?? []),
    ].join(" "),
  );
});
on("head", (change) => {
  const { game } = state;
  // After a takeback.
  if (state.follows && change?.before === state.at && game.isAncestor(game.head, state.at))
    goTo(game.head, { byHand: false });
  showStatus();
  // Results of a move are announced with the move.
  const standing = game.state === "paused" ? word("paused") : resultText();
  if (standing && change?.before === game.head) announce(standing);
  offerMoves({ isAgain: true });
  showRefill();
  showActions();
  showPlayers(board.stage, isFlipped());
  passIfBlocked();
  advance();
});
on("tree", () => {
  showActions();
  advance();
});
on("thinking", () => showPlayers(board.stage, isFlipped()));
on("settings language", () => state.game && showNode());

addEventListener(
  "resize",
  oncePerFrame(() => state.game && board.drag === null && showPlayers(board.stage, isFlipped())),
);

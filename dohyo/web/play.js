// The game on the board: what it shows, what a person may do there, and how the board follows the game.

import { BoardView, miniature } from "./boardview.js";
import { addCommands, can } from "./commands.js";
import { confirm } from "./dialogs.js";
import { byId, make, oncePerFrame } from "./dom.js";
import { icon } from "./icons.js";
import { showPlayers } from "./players.js";
import { playMove } from "./session.js";
import { change, isCalm, settings } from "./settings.js";
import { ask } from "./socket.js";
import { current, goTo, isDuel, on, state, tell, variantOf } from "./state.js";
import { complain, say } from "./toast.js";
import { playerName, plies, reasonOf, side, word } from "./words.js";

/** For how long a move is looked at before the next one is shown, in milliseconds, by its kind. */
const DWELL = { pass: 750, oshi: 500, refill: 800, move: 260, drop: 120 };
/** How long a blocked tower is looked at before a person's pass is played. */
const PASS_AFTER = 600;

export const board = new BoardView(byId("board"), { onMove: play });

let turned = false;
let hint = null;
/** Whether one is waited for. */
let awaitsHint = false;

/** A lone person sits below; on a board without two ends nobody sits anywhere. */
function isFlipped() {
  const { game } = state;
  const persons = game.players.filter((player) => player.kind === "person").length;
  const sitsAbove = persons === 1 && game.players[1].kind === "person" && variantOf(game.variant)?.points;
  return Boolean(sitsAbove) !== turned;
}

/**
 * Whether a person may move in the position that is shown: at the head of a game in play only on their turn; elsewhere if they went
 * there to look, but not while the board is on its way to the head.
 */
export function isOpen() {
  const node = current();
  if (!node || node.end || node.turn > 1) return false;
  const { game } = state;
  if (game.state !== "playing") return true;
  return state.at === game.head ? game.players[node.turn].kind === "person" : !state.follows;
}

// Showing.

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
  tell("arrows");
  passIfBlocked();
}

function offerMoves({ isAgain }) {
  board.offer(isOpen() ? current().legal : [], { isAgain });
}

function resultText() {
  const { game } = state;
  const end = current().end;
  if (!end && state.at !== game.head) return null;
  const result = end?.result ?? game.result;
  if (!result || result === "*") return null;
  const winner = { "1-0": 0, "0-1": 1 }[result];
  const said = winner === undefined ? word("drawn") : word("wins", { player: side(winner) });
  const reason = end ? end.how : reasonOf(game.reason);
  return reason ? `${said} · ${reason}` : said;
}

function showStatus() {
  const node = current();
  if (!node) return;
  const result = resultText();
  const isPaused = state.game.state === "paused";
  const [said, ...rest] = [...(isPaused ? [word("paused")] : []), ...(result ?? node.status).split("; ")];
  byId("status").classList.toggle("over", result !== null);
  byId("status").replaceChildren(make("b", { text: said }), ...rest.map((text) => make("span", { class: "muted", text })));
  const remarks = node.kind === "pass" ? [word("passed", { player: side(state.game.moverOf(node.id)) })] : [];
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
  const isChoice = node.refills && isOpen();
  box.hidden = !isChoice;
  // Where it has been chosen before, the board is what a reader wants to see.
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
    game.state === "paused" ? "resume" : (isPlaying && (isWatched || game.clock) ? "pause" : null),
    isPlaying ? "hint" : null,
    isPlaying && !isWatched ? "resign" : null,
    isDuel() ? "swap" : null,
    !isDuel() || (state.at !== game.head && !state.follows) ? "goon" : null,
    "flip",
    "export",
  ];
  const buttons = names.filter(Boolean).map((name) =>
    make("button", { type: "button", data: { do: name }, disabled: !can(name), class: ["head", "pass", "again", "resume"].includes(name) ? "main" : null }, icon(ICONS[name] ?? name), make("span", { text: word(`do.${name}`) })),
  );
  const before = [...byId("actions").children].map((it) => it.dataset.do + it.disabled + it.textContent).join();
  if (before === buttons.map((it) => it.dataset.do + it.disabled + it.textContent).join()) return;
  const focused = document.activeElement?.closest?.("#actions [data-do]")?.dataset.do;
  byId("actions").replaceChildren(...buttons);
  if (focused) byId("actions").querySelector(`[data-do="${focused}"]`)?.focus();
});
const ICONS = { head: "last", export: "share" };

// Moving.

/** Plays a move in the position that is shown. */
async function play(move) {
  const { game, at } = state;
  const isTheirs = game.players[current().turn]?.kind === "person";
  const isGame = ["playing", "paused"].includes(game.state) && at === game.head && isTheirs;
  state.isOwnMove = true;
  try {
    // A move of the game is no longer a pause.
    if (isGame && game.state === "paused") await request("pause", { on: false });
    const id = await playMove(at, move);
    if (state.game?.id === game.id && state.at === at) goTo(id, { byHand: !isGame });
    advance();
  } catch (error) {
    complain(error);
    showNode();
  }
}

let timer = 0;

/** Goes on towards the head of the game, one move at a time, so that every move is seen. */
function advance() {
  clearTimeout(timer);
  const { game } = state;
  if (!game || game.state === "free" || !state.follows || !game.get(game.head) || state.at === game.head) return;
  // An own move is shown before the server says that the game has reached it.
  if (game.isAncestor(game.head, state.at)) return;
  const path = game.pathTo(game.head);
  const here = path.indexOf(state.at);
  const next = path[here + 1];
  const isFar = here < 0 || path.length - here > 12;
  const wait = isFar || isCalm() ? 0 : Math.max(0, shownAt + (DWELL[current()?.kind] ?? 0) - performance.now());
  const step = () => {
    goTo(isFar ? game.head : next, { byHand: false });
    advance();
  };
  if (wait > 0) timer = setTimeout(step, wait);
  else step();
}

let shownAt = -Infinity;

let blocked = null;

/** Plays the pass of a blocked tower after a look at it; asked again when the server says that the game has come here. */
function passIfBlocked() {
  const node = current();
  if (!settings.passes || !can("pass") || blocked === node) return;
  if (state.game.state === "paused" || (state.game.state === "playing" ? state.at !== state.game.head : !state.isOwnMove)) return;
  blocked = node;
  board.shake(node.scene.called);
  setTimeout(() => {
    blocked = null;
    if (current() === node && can("pass")) play("0000");
  }, PASS_AFTER);
}

const step = (wanted) => () => {
  state.isOwnMove = false;
  if (wanted !== undefined && wanted !== null) goTo(wanted);
};

const isInGame = () => Boolean(state.game);
const hasPersons = () => state.game?.players.some((player) => player.kind === "person");
const request = (what, more = {}) => ask({ do: what, game: state.game.id, ...more });
/** Whether a person has had a choice before the head, as the server asks it of a takeback. */
const hasChosen = () =>
  state.game.pathTo(state.game.head).slice(0, -1).some((id) => {
    const { turn, legal } = state.game.get(id);
    return state.game.players[turn]?.kind === "person" && legal.length > 1;
  });
const isPlaying = () => state.game?.state === "playing";
const nextNode = () => {
  const path = state.game.pathTo(state.game.head);
  const children = state.game.childrenOf(state.at);
  // Towards where the reader came from, else towards the head of the game, else along the main line.
  return children.find((id) => lastPath.includes(id)) ?? children.find((id) => path.includes(id)) ?? children[0];
};
let lastPath = [];

addCommands({
  first: { can: isInGame, run: () => step(state.game.root)() },
  back: { can: isInGame, run: () => step(current().parent)() },
  forward: { can: isInGame, run: () => step(nextNode())() },
  last: { can: isInGame, run: () => step(state.game.lineThrough(nextNode() ?? state.at).at(-1))() },
  head: { can: () => isInGame() && state.at !== state.game.head, run: () => step(state.game.head)() },
  pass: { can: () => isOpen() && current().legal.length === 1 && current().legal[0][0] === "0000", run: () => play("0000") },
  left: { can: () => isOpen() && Boolean(current().refills), run: () => play(Object.keys(current().refills)[0]) },
  right: { can: () => isOpen() && Boolean(current().refills), run: () => play(Object.keys(current().refills)[1]) },
  takeback: {
    can: () => isInGame() && ["playing", "over"].includes(state.game.state) && hasChosen(),
    run: () => {
      goTo(state.game.head);
      return request("takeback");
    },
  },
  hint: {
    can: () => isOpen() && !awaitsHint,
    async run() {
      const node = state.at;
      awaitsHint = true;
      byId("note").hidden = false;
      byId("note").textContent = word("hint.wait");
      try {
        const answer = await request("hint", { node });
        if (state.at === node) {
          hint = { ...answer, node };
          say(word("hint.is", { move: hint.name }));
          tell("arrows");
        }
      } finally {
        awaitsHint = false;
        showStatus();
      }
    },
  },
  resign: {
    can: () => isPlaying() && hasPersons(),
    async run() {
      if (await confirm(word("resign.sure"), word("do.resign"))) await request("resign");
    },
  },
  swap: { can: () => isPlaying() && hasPersons(), run: () => request("swap") },
  pause: { can: () => ["playing", "paused"].includes(state.game?.state), run: () => request("pause", { on: isPlaying() }) },
  resume: { can: () => state.game?.state === "paused", run: () => request("pause", { on: false }) },
  flip: { can: isInGame, run: () => { turned = !turned; showNode(); } },
  promote: { can: isInGame, run: () => request("promote", { node: state.at }) },
  prune: {
    can: () => isInGame() && state.at !== state.game.root,
    async run() {
      const node = state.at;
      // What was played is not had back; a variation is soon made again.
      const isOfGame = state.game.isAncestor(node, state.game.head);
      if (!isOfGame || (await confirm(word("prune.sure"), word("do.prune")))) await request("prune", { node });
    },
  },
  squares: { can: isInGame, run: () => board.focus() },
  letters: () => change({ letters: !settings.letters }),
});

/** The move that was hinted at, for the board's arrows. */
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
  if (!isSame) say(word("game.opened", { players: state.game.players.map((player) => playerName(player.name)).join(" – "), plies: plies(moves - 1) }));
  if (isSame) advance();
});
on("gone", () => byId("play").classList.add("no-game"));
on("view", ({ glide }) => {
  if (!state.game.isAncestor(state.at, lastPath.at(-1))) lastPath = state.game.pathTo(state.at);
  shownAt = performance.now();
  const node = current();
  showNode({ glide });
  const mover = state.game.moverOf(node.id);
  say([mover === undefined ? "" : `${side(mover)} ${node.name}.`, resultText() ?? node.status, ...(node.notes ?? [])].join(" "));
});
on("head", (change) => {
  const { game } = state;
  // Moves are taken back.
  if (state.follows && change?.before === state.at && game.isAncestor(game.head, state.at)) goTo(game.head, { byHand: false });
  showStatus();
  // What a move has changed is said with the move.
  const standing = game.state === "paused" ? word("paused") : resultText();
  if (standing && change?.before === game.head) say(standing);
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

addEventListener("resize", oncePerFrame(() => state.game && board.drag === null && showPlayers(board.stage, isFlipped())));


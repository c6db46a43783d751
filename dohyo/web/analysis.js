// Analysis of the current position: an evaluation bar, arrows for the best lines, and the lines as
// text.

import { board, hintedMove } from "./play.js";
import { addCommands } from "./commands.js";
import { miniature, previewBox } from "./stage.js";
import { byId, make } from "./dom.js";
import { playMove } from "./session.js";
import { changeSettings, settings } from "./settings.js";
import { send } from "./socket.js";
import { current, goTo, isHumanVsEngine, on, state } from "./state.js";
import { showError } from "./toast.js";
import { view } from "./views.js";
import { count, percent, side, word } from "./words.js";

const MAX_LINES = 5;
/** Delay in milliseconds, so that stepping through a game does not start a search at every ply. */
const UPDATE_DELAY = 80;

let isOn = false;
let timer = 0;
let requested = null;
/** The game of the last request. A game that was closed needs no stop request. */
let requestedGame = null;
const preview = previewBox(byId("preview"));

function setOn(wanted) {
  isOn = wanted;
  byId("analyse").setAttribute("aria-checked", String(isOn));
  byId("lines").hidden = !isOn;
  if (!isOn) {
    stop();
    state.analysis = null;
  }
  update();
}

/** Requests an analysis of the current node if analysis is on and visible. */
function update() {
  clearTimeout(timer);
  const node = current();
  const isWanted = isOn && node && !document.hidden && view() === "play";
  if (!isWanted || node.end) {
    if (requested) stop();
    show();
    return;
  }
  const query = [state.game.id, node.id, settings.lines, settings.engine].join();
  if (query !== requested) {
    timer = setTimeout(() => {
      requested = query;
      requestedGame = state.game.id;
      send({
        do: "analyse",
        game: state.game.id,
        node: node.id,
        lines: settings.lines,
        engine: Math.min(settings.engine, state.welcome.engines.length - 1),
      });
    }, UPDATE_DELAY);
  }
  show();
}

function stop() {
  if (requested && state.game?.id === requestedGame) send({ do: "rest", game: requestedGame });
  requested = null;
}

/** Text and winner of a line: a proven result or Black's winning chance. */
export function verdict({ score, black, proven }) {
  if (proven && score?.mate !== undefined && score.mate !== null) {
    const turn = current()?.turn ?? 0;
    const winner = score.mate > 0 ? turn : 1 - turn;
    return {
      text: word("verdict.wins", { player: side(winner), n: Math.abs(score.mate) }),
      winner,
    };
  }
  if (proven)
    return {
      text: word(black > 0.75 ? "verdict.black" : black < 0.25 ? "verdict.white" : "verdict.draw"),
      winner: black > 0.75 ? 0 : black < 0.25 ? 1 : null,
    };
  return { text: percent(black), winner: null };
}

function show() {
  showBar();
  showLines();
  showArrows();
}

/**
 * Whether evaluations are shown. During a game against an engine they are hidden until the user
 * turns analysis on.
 */
export const isRevealed = () => isOn || !isHumanVsEngine();

function showBar() {
  const bar = byId("chance");
  const node = current();
  const known =
    node && isRevealed() ? (state.analysis?.lines[0] ?? state.game.evalOf(node.id)) : null;
  const end = node?.end ? ({ "1-0": 1, "0-1": 0 }[node.end.result] ?? 0.5) : null;
  const black = end ?? known?.black;
  bar.hidden = !(isOn || (black !== undefined && black !== null));
  byId("play").classList.toggle("has-bar", !bar.hidden);
  if (bar.hidden) return;
  const share = black ?? 0.5;
  bar.classList.toggle("turned", board.isFlipped === true);
  bar
    .querySelector(".chance-white")
    .style.setProperty("--white", `${(100 * (1 - share)).toFixed(1)}%`);
  const text =
    black === undefined || black === null ? "" : percent(share >= 0.5 ? share : 1 - share);
  bar.lastElementChild.textContent = text;
  bar.classList.toggle("white-leads", share < 0.5);
  bar.setAttribute(
    "aria-label",
    text ? `${word("chance.black")} ${percent(share)}` : word("chance.black"),
  );
}

function showLines() {
  const { analysis } = state;
  const list = byId("lines");
  if (!isOn) {
    byId("analysis-info").textContent = "";
    return;
  }
  if (!analysis) {
    byId("analysis-info").textContent = current()?.end ? word("over") : word("thinks");
    const empty =
      [...list.children].every((it) => it.classList.contains("empty")) &&
      list.children.length === settings.lines;
    if (!empty)
      list.replaceChildren(
        ...Array.from({ length: current()?.end ? 0 : settings.lines }, () =>
          make("li", { class: "empty", text: "…" }),
        ),
      );
    return;
  }
  const { depth, nodes, nps } = analysis;
  byId("analysis-info").textContent = [
    word("depth", { n: depth }),
    word("nodes", { n: count(nodes) }),
    nps ? word("nps", { n: count(nps) }) : "",
  ]
    .filter(Boolean)
    .join(" · ");
  // Reuse the list items, so that hovered and focused buttons stay in place.
  analysis.lines.forEach((line, index) => fillLine(list, line, index));
  while (list.children.length > analysis.lines.length) list.lastElementChild.remove();
}

function fillLine(list, line, index) {
  const old = list.children[index];
  const { text, winner } = verdict(line);
  const key = line.names.join(";");
  const value = {
    class: `value ${line.proven ? "proven" : ""} ${winner === null ? "" : `for-${winner}`}`,
    text,
  };
  if (old && old.dataset.key === key) {
    Object.assign(old.firstElementChild, { className: value.class, textContent: text });
    return;
  }
  const moves = line.names.map((name, depth) =>
    make("button", { type: "button", class: "move", text: name, data: { line: index, depth } }),
  );
  const item = make(
    "li",
    { data: { key } },
    make("span", { ...value, title: word("chance.black") }),
    make("span", { class: "line" }, ...moves),
  );
  if (old) old.replaceWith(item);
  else list.append(item);
}

function showArrows() {
  const node = current();
  if (!node || !board.stage) return;
  const arrows = [];
  const add = (move, weight, kind) => {
    const found = node.legal.find(([text]) => text === move);
    if (found && found[2] !== null && found[2] !== undefined)
      arrows.push([found[1], found[2], weight, kind]);
  };
  if (isOn && settings.arrows && state.analysis) {
    const best = chanceOfMover(state.analysis.lines[0]);
    state.analysis.lines.forEach((line, index) => {
      const behind = Math.max(0, best - chanceOfMover(line));
      const weight = index === 0 ? 1 : Math.max(0.08, 0.75 - 4 * behind - 0.08 * index);
      add(line.moves[0], weight, index === 0 ? "best" : "other");
    });
  }
  const mark = state.game.marks[node.id];
  if (hintedMove()) add(hintedMove(), 1, "hint");
  const next = !mark && state.game.childrenOf(node.id)[0];
  const missed = next !== undefined && state.game.marks[next];
  if (missed && !isHumanVsEngine()) add(missed.better, 0.9, "better");
  board.arrows(arrows);
}

const chanceOfMover = (line) => (current().turn === 0 ? line.black : 1 - line.black);

/**
 * Adds the moves of a line, up to one of them, as a variation. The game in progress does not
 * change.
 */
async function playLine(moves) {
  const { game } = state;
  let at = state.at;
  state.isOwnMove = false;
  for (const move of moves) {
    at = await playMove(at, move, { branch: true });
  }
  if (state.game?.id === game.id) {
    goTo(at);
  }
}

const lines = byId("lines");
lines.addEventListener("click", ({ target }) => {
  const { line, depth } = target.closest("[data-line]")?.dataset ?? {};
  const wanted = state.analysis?.lines[Number(line)];
  if (!wanted) return;
  preview.hide();
  playLine(wanted.moves.slice(0, Number(depth) + 1)).catch(showError);
});

function showPreview(event) {
  const { line, depth } = event.target.closest?.("[data-line]")?.dataset ?? {};
  const scene = state.analysis?.lines[Number(line)]?.scenes?.[Number(depth)];
  if (!scene) return preview.hide();
  preview.show(miniature(state.game.stage, scene, board.isFlipped), {
    x: event.clientX,
    y: event.clientY,
  });
}
lines.addEventListener(
  "pointerover",
  (event) => event.pointerType === "mouse" && showPreview(event),
);
lines.addEventListener("pointerleave", () => preview.hide());

byId("analyse").addEventListener("click", () => setOn(!isOn));
byId("analysis-lines").addEventListener("change", ({ target }) =>
  changeSettings({ lines: Number(target.value) }),
);
byId("analysis-engine").addEventListener("change", ({ target }) =>
  changeSettings({ engine: Number(target.value) }),
);

addCommands({
  analyse: { can: () => Boolean(state.game), run: () => setOn(!isOn) },
  best: {
    can: () => isOn && Boolean(state.analysis),
    run: () => playLine(state.analysis.lines[0].moves.slice(0, 1)),
  },
});

function showChoices() {
  const choices = byId("analysis-lines");
  choices.replaceChildren(
    ...Array.from({ length: MAX_LINES }, (_, index) =>
      make("option", {
        value: index + 1,
        text: word(index ? "lines.n" : "lines.one", { n: index + 1 }),
        selected: index + 1 === settings.lines,
      }),
    ),
  );
  const engines = state.welcome?.engines ?? [];
  byId("analysis-engine").hidden = engines.length < 2;
  byId("analysis-engine").replaceChildren(
    ...engines.map(({ name }, index) =>
      make("option", { value: index, text: name, selected: index === settings.engine }),
    ),
  );
}

on("welcome language", showChoices);
on("game", ({ isSame }) => {
  requested = null;
  // A game against an engine starts without analysis.
  if (!isSame && isHumanVsEngine()) setOn(false);
  else update();
});
on("gone view", update);
on("shown", update);
on("settings", update);
on("analysis", show);
on("arrows review", () => {
  showBar();
  showArrows();
});
document.addEventListener("visibilitychange", update);

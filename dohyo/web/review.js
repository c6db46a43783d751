// The game review: progress, a summary for each player, and each mistake with the better move.

import { addCommands, can } from "./commands.js";
import { byId, make, markCurrent } from "./dom.js";
import { SIGNS } from "./moves.js";
import { playMove } from "./session.js";
import { changeSettings, settings } from "./settings.js";
import { request } from "./socket.js";
import { goTo, isHumanVsEngine, on, state } from "./state.js";
import { showError } from "./toast.js";
import { hasWord, percent, playerName, seconds, side, word } from "./words.js";

const TIMES = [50, 100, 300, 1000, 3000];
const KINDS = ["thrown", "missed", "mistake", "dubious"];

const body = byId("review-body");
const isRunning = () => Boolean(state.game?.review) && !state.game.review.finished;

function show() {
  const { game } = state;
  if (!game) return;
  byId("review").hidden = isHumanVsEngine() || game.nodes.size < 2;
  const go = byId("review-go");
  go.textContent = word(isRunning() ? "cancel" : game.review ? "review.again" : "review.do");
  go.disabled = !can("review");
  const marks = game.lineThrough(game.root).filter((id) => game.marks[id]);
  body.hidden = !game.review && !marks.length;
  if (body.hidden) return;
  body.replaceChildren(
    ...[
      progress(),
      summary(),
      ...(marks.length ? [make("ol", { class: "mistakes" }, ...marks.map(mistake))] : []),
      clean(marks),
    ].filter(Boolean),
  );
}

function progress() {
  if (!isRunning()) return null;
  const { done, of } = state.game.review;
  return make(
    "div",
    { class: "progress" },
    make("progress", { value: done, max: of || 1, "aria-label": word("review") }),
    make("span", { class: "muted", text: `${done} / ${of}` }),
  );
}

function clean(marks) {
  return state.game.review?.finished && !marks.length
    ? make("p", { class: "good", text: word("review.clean") })
    : null;
}

function summary() {
  const summaries = state.game.review?.summary;
  if (!summaries) return null;
  const head = make(
    "tr",
    {},
    make("th", { scope: "col" }, make("span", { class: "visually-hidden", text: word("player") })),
    make("th", { scope: "col", text: word("accuracy") }),
    ...KINDS.map((kind) => make("th", { scope: "col", text: word(`mark.${kind}.n`) })),
  );
  const rows = summaries.map((it, turn) =>
    make(
      "tr",
      {},
      make(
        "th",
        { scope: "row" },
        make("span", { class: `disc disc-${turn}` }),
        " ",
        make("bdi", { text: playerName(state.game.players[turn].name) || side(turn) }),
      ),
      make("td", {
        text: it.accuracy === null || it.accuracy === undefined ? "–" : percent(it.accuracy / 100),
      }),
      ...KINDS.map((kind) =>
        make("td", {
          class: it[KEYS[kind]] ? `count mark-${kind}` : "count",
          text: String(it[KEYS[kind]] ?? 0),
        }),
      ),
    ),
  );
  return make(
    "div",
    { class: "scroll", tabindex: 0, role: "region", "aria-label": word("review") },
    make("table", { class: "summary" }, make("thead", {}, head), make("tbody", {}, ...rows)),
  );
}
const KEYS = { thrown: "thrown", missed: "missed", mistake: "mistakes", dubious: "dubious" };

function mistake(id) {
  const { game } = state;
  const node = game.get(id);
  const mark = game.marks[id];
  const turn = game.moverOf(id);
  const { number, round } = game.numbersOf(game.lineThrough(game.root)).get(id);
  const prefix = round === null ? "" : `${word("round", { n: round })} · `;
  const loss = mark.proven ? word("proven") : word("loses", { n: percent(mark.loss ?? 0) });
  return make(
    "li",
    { class: `mark-${mark.kind}` },
    make("span", { class: "sign", text: SIGNS[mark.kind], "aria-hidden": "true" }),
    make(
      "div",
      {},
      make("button", {
        type: "button",
        class: "move",
        data: { mistake: id },
        text: `${prefix}${number}. ${side(turn)} ${node.name}`,
      }),
      make("span", { class: "kind", text: ` ${word(`mark.${mark.kind}`)} · ${loss}` }),
      make("p", { class: "why", text: hasWord(`why.${mark.why}`) ? word(`why.${mark.why}`) : "" }),
      make(
        "p",
        {},
        `${word("better")} `,
        make("button", {
          type: "button",
          class: "move",
          data: { better: id },
          text: mark.betterName,
        }),
      ),
    ),
  );
}

const nodeOf = (text) => [...state.game.nodes.keys()].find((id) => String(id) === text);

body.addEventListener("click", ({ target }) => {
  const { mistake: at, better } = target.closest("button")?.dataset ?? {};
  state.isOwnMove = false;
  // Show the position before the move, with the better move as an arrow.
  if (at) goTo(state.game.get(nodeOf(at)).parent);
  if (better) playBetter(nodeOf(better)).catch(showError);
});

async function playBetter(id) {
  const { game } = state;
  const parent = game.get(id).parent;
  goTo(parent);
  goTo(await playMove(parent, game.marks[id].better, { branch: true }));
}

byId("review-ms").addEventListener("change", ({ target }) =>
  changeSettings({ reviewMs: Number(target.value) }),
);

addCommands({
  review: {
    can: () => Boolean(state.game) && !isHumanVsEngine() && state.game.nodes.size > 1,
    run: () =>
      request(
        isRunning()
          ? { do: "unreview", game: state.game.id }
          : { do: "review", game: state.game.id, ms: settings.reviewMs },
      ),
  },
  nextmark: { can: () => marked().length > 0, run: () => goToNextMistake() },
});

const marked = () =>
  state.game ? state.game.lineThrough(state.game.root).filter((id) => state.game.marks[id]) : [];

/** Shows the position before the next mistake; the first one follows the last. */
function goToNextMistake() {
  const line = state.game.lineThrough(state.game.root);
  const here = line.indexOf(state.at);
  const next = marked().find((id) => line.indexOf(state.game.get(id).parent) > here) ?? marked()[0];
  goTo(state.game.get(next).parent);
}

function showTimes() {
  byId("review-ms").replaceChildren(
    ...TIMES.map((ms) =>
      make("option", {
        value: ms,
        text: word("review.ms", { s: seconds(ms) }),
        selected: ms === settings.reviewMs,
      }),
    ),
  );
}

on("welcome language", showTimes);
on("tree review head language", show);
on("view", () => {
  for (const button of body.querySelectorAll("[data-mistake]"))
    markCurrent(
      button,
      String(state.game.get(nodeOf(button.dataset.mistake))?.parent) === String(state.at),
    );
});

// The tournament view: live boards, standings and finished games.

import { stageFrom } from "./stage.js";
import { showScene } from "./board.js";
import { byId, make } from "./dom.js";
import { clockText } from "./players.js";
import { requestGame } from "./session.js";
import { send } from "./socket.js";
import { on, state } from "./state.js";
import { showError } from "./toast.js";
import { showView, view } from "./views.js";
import { percent, reasonOf, side, word } from "./words.js";

const MAX_FINISHED = 200;

let finished = new Map();
/** Live boards by slot: game, stage and elements. */
let boards = new Map();
let isWatching = false;

function updateSubscription() {
  const wanted = view() === "watch" && Boolean(state.welcome?.watching);
  if (wanted && !isWatching) send({ do: "watch" });
  if (!wanted && isWatching) send({ do: "unwatch" });
  isWatching = wanted;
}

function show(message) {
  for (const game of message.games ?? []) finished.set(game.number, game);
  byId("watch-title").textContent = message.title ?? word("view.watch");
  byId("watch-progress").textContent = message.error ?? progress(message);
  if (message.standings) showStandings(message.standings);
  showLlr(message.llr);
  // Redraw the table only if it has changed: a button being pressed must stay.
  if (message.games?.length || !byId("finished").tHead) showFinished();
  showLive(message.live ?? []);
}

/** The number of games played; empty until the server has read the folder. */
const progress = ({ played, planned }) =>
  played === undefined ? "" : word("watch.progress", { played, planned: planned ?? "?" });

const signed = (number) =>
  number > 0 ? `+${number.toFixed(0)}` : number.toFixed(0).replace("-", "\u2212");

function showStandings(standings) {
  const columns = ["watch.engine", "watch.games", "points", "percent", "elo"];
  const head = make(
    "tr",
    {},
    ...columns.map((key, index) =>
      make("th", { scope: "col", class: index ? "number" : null, text: word(key) }),
    ),
  );
  const rows = standings.map((it) =>
    make(
      "tr",
      {},
      make("th", { scope: "row" }, make("bdi", { text: it.name })),
      make("td", { class: "number", text: String(it.games) }),
      make("td", { class: "number", text: String(it.points) }),
      make("td", {
        class: "number",
        text: it.percent === null || it.percent === undefined ? "–" : percent(it.percent / 100),
      }),
      make("td", { class: "number" }, eloText(it)),
    ),
  );
  byId("standings").replaceChildren(make("thead", {}, head), make("tbody", {}, ...rows));
}

function eloText({ elo, error }) {
  if (elo === null || elo === undefined) return "–";
  return error === null || error === undefined
    ? signed(elo)
    : `${signed(elo)} ± ${Math.round(error)}`;
}

function showLlr(llr) {
  const box = byId("llr");
  box.hidden = !llr;
  if (!llr) return;
  const [llrNow, lower, upper] = [llr.value, ...llr.bounds].map((number) => number.toFixed(2));
  box.textContent = word("watch.llr", { llr: llrNow, lower, upper });
}

function showFinished() {
  const rows = [...finished.values()].sort((a, b) => b.number - a.number).slice(0, MAX_FINISHED);
  const head = make(
    "tr",
    {},
    make("th", { scope: "col", text: word("watch.number") }),
    make("th", { scope: "col", text: word("black") }),
    make("th", { scope: "col", text: word("white") }),
    make("th", { scope: "col", text: word("result") }),
    make("th", { scope: "col", class: "number", text: word("watch.plies") }),
  );
  const row = (game) =>
    make(
      "tr",
      {},
      make(
        "td",
        {},
        make("button", {
          type: "button",
          class: "small",
          data: { watched: game.number },
          text: String(game.number),
          "aria-label": word("watch.open", { n: game.number }),
        }),
      ),
      make("td", {}, make("bdi", { text: game.black })),
      make("td", {}, make("bdi", { text: game.white })),
      make("td", { title: reasonOf(game.reason), text: game.result }),
      make("td", { class: "number", text: String(game.plies) }),
    );
  byId("finished").replaceChildren(make("thead", {}, head), make("tbody", {}, ...rows.map(row)));
}

function showLive(live) {
  const slots = new Set(live.map(({ slot }) => slot));
  for (const [slot, { element }] of boards) {
    if (slots.has(slot)) continue;
    element.remove();
    boards.delete(slot);
  }
  for (const game of live) showGame(game);
}

function showGame(game) {
  let board = boards.get(game.slot);
  if (!board) {
    board = { element: make("article", { class: "card live" }), number: null };
    boards.set(game.slot, board);
    byId("watch-live").append(board.element);
  }
  if (game.stage && (board.text !== game.stage || board.number !== game.number)) {
    Object.assign(board, { text: game.stage, stage: stageFrom(game.stage), number: game.number });
    board.stage.element.classList.add("still");
  }
  if (!board.stage) return;
  board.stage.element.setAttribute("aria-label", word("board"));
  showScene(board.stage, game.scene);
  board.game = game;
  board.at = performance.now();
  const last = game.moves.at(-1);
  board.element.replaceChildren(
    make("h3", { class: "small", text: word("watch.game", { n: game.number }) }),
    seat(board, 1),
    make(
      "div",
      { class: "arena" },
      chanceBars(game),
      make("div", { class: "board" }, board.stage.element),
    ),
    seat(board, 0),
    make("p", { class: "status", text: game.status ?? "" }),
    make("p", { class: "muted last-moves", text: last ? game.moves.slice(-8).join("  ") : "" }),
  );
  requestAnimationFrame(() => board.stage.element.classList.remove("still"));
}

/** Black's winning chance according to each engine, Black's estimate on the left. */
function chanceBars({ chances = [] }) {
  return make(
    "div",
    { class: "chances" },
    ...[0, 1].map((turn) => {
      const black = chances[turn];
      const isKnown = black !== null && black !== undefined;
      const white = make("div", { class: "chance-white" });
      white.style.setProperty("--white", `${(100 * (1 - (black ?? 0.5))).toFixed(1)}%`);
      const label = isKnown
        ? word("watch.chance", { player: side(turn), chance: percent(black) })
        : word("chance.black");
      return make(
        "div",
        { class: "chance", role: "img", "aria-label": label, title: label },
        white,
      );
    }),
  );
}

function seat({ game }, turn) {
  const { lines = [], clock, chances = [] } = game;
  const name = turn === 0 ? game.black : game.white;
  const own = chances[turn];
  const chance = own === null || own === undefined ? null : turn === 0 ? own : 1 - own;
  return make(
    "div",
    { class: `seat-line ${game.turn === turn ? "on-turn" : ""}` },
    make("span", { class: `disc disc-${turn}` }),
    make("bdi", { text: name }),
    game.points ? make("b", { text: String(game.points[turn]) }) : null,
    chance === null ? null : make("span", { class: "muted", text: percent(chance) }),
    clock && clock[turn] !== null
      ? make("time", {
          class: "clock",
          data: { watch: game.slot, turn },
          text: clockText(clock[turn]),
        })
      : null,
    make("span", { class: "muted line", text: (lines[turn] ?? []).slice(0, 5).join(" ") }),
  );
}

setInterval(() => {
  if (view() !== "watch") return;
  for (const element of document.querySelectorAll("[data-watch]")) {
    const board = [...boards].find(([slot]) => String(slot) === element.dataset.watch)?.[1];
    const turn = Number(element.dataset.turn);
    if (board?.game.turn === turn && board.game.clock)
      element.textContent = clockText(board.game.clock[turn] - (Date.now() - board.game.since));
  }
}, 200);

byId("finished").addEventListener("click", async ({ target }) => {
  const number = target.closest("[data-watched]")?.dataset.watched;
  if (!number) return;
  try {
    await requestGame({ do: "watched", game: Number(number) });
    showView("play");
  } catch (error) {
    showError(error);
  }
});

on("tournament", show);
on("language", showFinished);
on("shown welcome", updateSubscription);
on("welcome", () => {
  isWatching = false;
  finished = new Map();
  document.querySelector('#views [data-view="watch"]').hidden = !state.welcome.watching;
  updateSubscription();
});

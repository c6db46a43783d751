// Replays the games of the page. What shows a scene on a board stands before this script: `draw/board.js`.

const byId = (id) => document.getElementById(id);
const read = (id) => JSON.parse(byId(id).textContent);
/** An element with text, which is never read as HTML. */
const make = (tag, text = "", properties = {}) => Object.assign(document.createElement(tag), { textContent: text }, properties);

const { names, chunk: chunkSize, games } = read("index");
const chunks = new Map();
const ROWS = 25;
const NOBODY = 2;

/** What one ply changes, a number a character: turn, called place, places left and gone to; piece, place and look of each piece. */
const changeOf = (text) => Array.from(text, (character) => character.charCodeAt(0) - 41);

/** The game at a place of the list; the text that holds it is read when it is first needed. */
function load(place) {
  const number = Math.floor(place / chunkSize);
  if (!chunks.has(number)) chunks.set(number, read(`chunk-${number}`));
  const game = chunks.get(number)[place % chunkSize];
  const parts = (text, between) => (text === "" ? [] : text.split(between));
  return {
    ...game,
    start: changeOf(game.start),
    plies: parts(game.plies, " ").map(changeOf),
    names: parts(game.names, ";"),
    scores: parts(game.scores, ";"),
  };
}

let shown = { place: -1, game: null, ply: -1, stage: null, address: 0 };

function goTo(wanted) {
  const { game, stage, place } = shown;
  const ply = Math.max(0, Math.trunc(Math.min(game.plies.length, wanted)));
  // Forward from where the board stands; backward from the start.
  const from = ply >= shown.ply && shown.ply >= 0 ? shown.ply : 0;
  if (from === 0) change(stage, game.start);
  for (let i = from; i < ply; i++) change(stage, game.plies[i]);
  shown.ply = ply;
  byId("ply").value = ply;
  byId("status").textContent = status(game, ply);
  const points = game.points.filter(([after]) => after <= ply).at(-1)?.[1];
  byId("points").textContent = points ? `Black ${points[0]} – ${points[1]} White` : "";
  byId("first").disabled = byId("back").disabled = ply === 0;
  byId("last").disabled = byId("forward").disabled = ply === game.plies.length;
  mark(byId("sheet").querySelector("[aria-current]"), false);
  const cell = byId("sheet").querySelector(`[data-ply="${ply}"]`);
  mark(cell, true);
  if (cell) scrollWithin(byId("sheet"), cell);
  else byId("sheet").scrollTop = 0;
  // Browsers object to many changes of the address in a second.
  clearTimeout(shown.address);
  shown.address = setTimeout(() => history.replaceState(null, "", `#game=${games[place].number}&ply=${ply}`), 300);
}

function mark(element, isCurrent) {
  if (isCurrent) element?.setAttribute("aria-current", "true");
  else element?.removeAttribute("aria-current");
}

/** Keeps the page itself where it is. */
function scrollWithin(box, element) {
  const [outer, inner] = [box.getBoundingClientRect(), element.getBoundingClientRect()];
  box.scrollTop += inner.top - outer.top - (outer.height - inner.height) / 2;
}

const playerName = (turn) => (turn === 0 ? "Black" : "White");
const turnBefore = (game, ply) => (ply === 0 ? game.start : game.plies[ply - 1])[0];

function status(game, ply) {
  const turn = turnBefore(game, ply);
  const next = turn === NOBODY ? "the game is over" : ply === game.plies.length ? game.detail : `${playerName(turn)} to move`;
  const parts = [`Ply ${ply} of ${game.plies.length}`];
  if (ply > 0) {
    parts.push(`${playerName(turnBefore(game, ply - 1))} ${game.names[ply - 1]}`);
    const own = ply - 1 - game.opening;
    if (own < 0) parts.push("opening");
    if (game.scores[own]) parts.push(game.scores[own]);
    if (game.ms[own] !== undefined) parts.push(`${game.ms[own]} ms`);
  }
  return [...parts, next].join(" · ");
}

// The sheet: Black's moves to the left, White's to the right. A player who moves again begins a new row.

function sheet(game) {
  const table = make("table");
  table.append(make("caption", "Score sheet", { className: "unseen" }));
  const head = table.createTHead().insertRow();
  for (const text of ["ply", "Black", "White"]) head.append(make("th", text, { scope: "col" }));
  const body = table.createTBody();
  const notes = new Map(game.notes);
  let row = null;
  game.names.forEach((name, index) => {
    const column = turnBefore(game, index) + 1;
    if (!row || column === 1 || row.cells[column].firstChild) {
      row = body.insertRow();
      for (const text of [String(index + 1), "", ""]) row.append(make("td", text));
    }
    const button = make("button", name, { type: "button", className: index < game.opening ? "book" : "" });
    button.dataset.ply = index + 1;
    row.cells[column].append(button);
    for (const text of notes.get(index + 1) ?? []) {
      const note = body.insertRow();
      note.className = "note";
      note.append(make("td", text, { colSpan: 3 }));
      row = null;
    }
  });
  if (game.reason !== "normal") {
    const note = body.insertRow();
    note.className = "note";
    note.append(make("td", game.detail, { colSpan: 3 }));
  }
  return table;
}

function open(place, ply) {
  const game = load(place);
  if (shown.stage) shown.stage.element.hidden = true;
  clearTimeout(shown.address);
  shown = { place, game, ply: -1, stage: stageOf(document.querySelector(`[data-stage="${game.stage}"]`)), address: 0 };
  shown.stage.element.hidden = false;
  byId("viewer").hidden = false;
  const [black, white] = [game.black, game.white].map((engine) => make("bdi", names[engine]));
  byId("players").replaceChildren(`Game ${game.number}: `, black, " (Black) – ", white, ` (White) ${game.result}`);
  byId("detail").textContent = game.detail;
  byId("sheet").replaceChildren(sheet(game));
  byId("ply").max = game.plies.length;
  goTo(ply);
  markRow();
}

/** Opens the game that the address names; whether it names one. */
function openAsked() {
  const asked = new URLSearchParams(location.hash.slice(1));
  const place = games.findIndex((game) => game.number === Number(asked.get("game")));
  if (place < 0) return false;
  open(place, Number(asked.get("ply")) || 0);
  return true;
}

// The list: a page of rows at a time.

let places = [];
let first = 0;

function filter() {
  const [engine, kind, number] = ["engine", "kind", "number"].map((id) => byId(id).value);
  const fits = (game) =>
    (engine === "" || game.black === Number(engine) || game.white === Number(engine)) &&
    (kind === "" || (kind === "fault" ? game.reason !== "normal" : game.result === kind)) &&
    (number === "" || game.number >= Number(number));
  places = games.flatMap((game, place) => (fits(game) ? [place] : []));
  first = 0;
  list();
}

function list() {
  const rows = places.slice(first, first + ROWS).map((place) => {
    const game = games[place];
    const row = make("tr");
    const button = make("button", String(game.number), { type: "button" });
    button.setAttribute("aria-label", `Show game ${game.number}`);
    button.dataset.place = place;
    const number = make("td", "", { className: "number" });
    number.append(button);
    row.append(number);
    for (const engine of [game.black, game.white]) {
      const cell = make("td");
      cell.append(make("bdi", names[engine]));
      row.append(cell);
    }
    row.append(make("td", game.result), make("td", game.reason), make("td", String(game.plies), { className: "number" }));
    return row;
  });
  byId("rows").replaceChildren(...rows);
  const last = Math.min(first + ROWS, places.length);
  byId("page").textContent = places.length ? `${first + 1} to ${last} of ${places.length}` : "no such game";
  byId("newer").disabled = first === 0;
  byId("older").disabled = last === places.length;
  markRow();
}

function markRow() {
  for (const row of byId("rows").rows) mark(row, row.querySelector("button").dataset.place === String(shown.place));
}

function turnPage(rows) {
  first = Math.max(0, first + rows);
  list();
}

// What the reader does.

const steps = { first: () => 0, back: () => shown.ply - 1, forward: () => shown.ply + 1, last: () => Infinity };
for (const [id, target] of Object.entries(steps)) byId(id).addEventListener("click", () => goTo(target()));
byId("ply").addEventListener("input", (event) => goTo(Number(event.target.value)));
byId("sheet").addEventListener("click", (event) => {
  if (event.target.dataset.ply) goTo(Number(event.target.dataset.ply));
});
byId("rows").addEventListener("click", (event) => {
  if (event.target.dataset.place) {
    open(Number(event.target.dataset.place), 0);
    byId("games").scrollIntoView();
    // So that the arrow keys are the board's from now on.
    byId("sheet").focus({ preventScroll: true });
  }
});
byId("newer").addEventListener("click", () => turnPage(-ROWS));
byId("older").addEventListener("click", () => turnPage(ROWS));
for (const id of ["engine", "kind", "number"]) byId(id).addEventListener("input", filter);
const keys = { ArrowLeft: "back", ArrowRight: "forward", Home: "first", End: "last" };
document.addEventListener("keydown", (event) => {
  const step = keys[event.key];
  const isTyping = event.target.closest("input, select, .scroll:not(.sheet)");
  // Home and End move the page, unless the reader is at the board.
  const isOurs = event.key.startsWith("Arrow") || event.target.closest("#viewer");
  if (!step || !shown.game || isTyping || !isOurs || event.ctrlKey || event.altKey || event.metaKey) return;
  event.preventDefault();
  goTo(steps[step]());
});

const THEMES = ["automatic", "light", "dark"];
let theme = 0;
byId("theme").hidden = false;
byId("theme").addEventListener("click", () => {
  theme = (theme + 1) % THEMES.length;
  if (theme === 0) delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = THEMES[theme];
  byId("theme").textContent = `Theme: ${THEMES[theme]}`;
});

names.forEach((name, engine) => byId("engine").append(make("option", name, { value: String(engine) })));
if (games.length) {
  byId("list").hidden = false;
  filter();
  if (!openAsked()) open(0, 0);
  addEventListener("hashchange", openAsked);
}

// The position editor: a board, the position as text, and the server's verdict on it. The text is
// authoritative.

import { BoardView } from "./boardview.js";
import { openSetup, startGame } from "./setup.js";
import { byId, make } from "./dom.js";
import { copyLink } from "./exchange.js";
import * as kamisado from "./positions/kamisado.js";
import * as kamon from "./positions/kamon.js";
import { request } from "./socket.js";
import { current, on, state } from "./state.js";
import { showError } from "./toast.js";
import { view } from "./views.js";
import { word } from "./words.js";

const FORMATS = { kamisado, kamon };
const lineField = byId("editor-line");

let format = null;
let model = null;
let checked = null;
let chosen = null;

const board = new BoardView(byId("editor-stage"), {
  onMove(text) {
    const [from, to] = text.split("-").map(Number);
    format.move(model, from, to);
    chosen = to;
    changed();
  },
});

const formatOf = (variant) =>
  FORMATS[Object.keys(FORMATS).find((name) => variant.startsWith(name))];

/** Writes the text after a change on the board, and checks it. */
function changed() {
  lineField.value = format.write(model);
  draw();
  check();
}

let lastCheck = 0;

async function check() {
  const number = ++lastCheck;
  const line = lineField.value.trim();
  try {
    const answer = await request({ do: "check", position: line });
    if (number !== lastCheck) return;
    checked = answer;
    const isOther = format !== formatOf(answer.variant);
    format = formatOf(answer.variant);
    model = format.read(line) ?? format.read(answer.start ?? line);
    if (isOther) showFields();
    board.setStage(answer.stage, false);
    draw();
    showMessage(`${word("editor.good")} ${answer.status ?? ""}`, true);
  } catch (error) {
    if (number !== lastCheck) return;
    checked = null;
    showMessage(error.message, false);
  }
  for (const id of ["editor-analyse", "editor-play", "editor-link"]) byId(id).disabled = !checked;
}

function showMessage(text, isGood) {
  byId("editor-message").textContent = text;
  byId("editor-message").className = isGood ? "good" : "wrong";
}

function draw() {
  if (!board.stage || !model) return;
  const scene = format.scene(model, board.stage);
  board.show(scene);
  const places = [...board.middles.keys()];
  const from = format.movable(model);
  board.offer(
    from.flatMap((place) =>
      places.filter((to) => to !== place).map((to) => [`${place}-${to}`, place, to]),
    ),
    { isQuiet: true },
  );
  if (chosen !== null) board.choose(chosen);
  for (const input of byId("editor-fields").querySelectorAll("[name]")) {
    const value = String(valueOf(input.name));
    if (input.value !== value) input.value = value;
  }
}

const pathOf = (name) => name.split(".");

function valueOf(name) {
  return pathOf(name).reduce((value, part) => value[part], model);
}

function setValue(name, value) {
  const path = pathOf(name);
  const last = path.pop();
  path.reduce((it, part) => it[part], model)[last] = value;
}

function showFields() {
  const field = ({ name, values, range }) => {
    const on = {
      change: ({ target }) => {
        setValue(name, target.value);
        changed();
      },
    };
    const input = values
      ? make(
          "select",
          { name, on },
          ...values.map(([value, text]) => make("option", { value, text: word(text) })),
        )
      : make("input", { type: "number", name, min: range[0], max: range[1], on });
    return make("label", { class: "field" }, make("span", { text: word(`editor.${name}`) }), input);
  };
  byId("editor-fields").replaceChildren(...format.fields.map(field));
  byId("palette").replaceChildren(
    ...format.tools.map(({ name, apply }) =>
      make("button", {
        type: "button",
        text: word(`editor.${name}`),
        on: {
          click: () => {
            if (board.from === null) return showMessage(word("editor.choose"), false);
            chosen = board.from;
            apply(model, board.from);
            changed();
          },
        },
      }),
    ),
  );
  byId("editor-help").textContent = word("editor.help");
  showStarts();
}

function showStarts() {
  const begins = [
    ...(current() ? [["game", current().line]] : []),
    ...Object.entries(FORMATS).flatMap(([name, it]) =>
      it.starts().map(([kind, line]) => [`${name}.${kind}`, line]),
    ),
  ];
  byId("editor-starts").replaceChildren(
    ...begins.map(([name, line]) =>
      make("button", {
        type: "button",
        text: word(`editor.from.${name}`),
        on: { click: () => edit(line) },
      }),
    ),
  );
}

/** Loads a position into the editor. */
export async function edit(line) {
  chosen = null;
  lineField.value = line;
  await check();
}

let timer = 0;
lineField.addEventListener("input", () => {
  clearTimeout(timer);
  timer = setTimeout(check, 150);
});

const game = () => ({
  variant: checked.variant,
  layout: checked.layout,
  start: { position: lineField.value.trim() },
  players: [{ kind: "person" }, { kind: "person" }],
  clock: null,
});
byId("editor-analyse").addEventListener("click", () => startGame(game()).catch(showError));
byId("editor-play").addEventListener("click", async () => {
  try {
    await startGame(game());
    openSetup("goon");
  } catch (error) {
    showError(error);
  }
});
byId("editor-link").addEventListener("click", () => copyLink(lineField.value.trim()));

on("shown", (name) => {
  if (name !== "editor" || !state.welcome) return;
  if (format) showStarts();
  else edit(current()?.line ?? kamisado.start()).catch(showError);
});
on("welcome", () => view() === "editor" && !format && edit(kamisado.start()));
on("language", () => format && showFields());

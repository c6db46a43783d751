// The editor of positions: a board, its text line, and what the server's parser says to it. The line is the truth.

import { BoardView } from "./boardview.js";
import { openSetup, begin } from "./setup.js";
import { byId, make } from "./dom.js";
import { copyLink } from "./exchange.js";
import * as kamisado from "./forms/kamisado.js";
import * as kamon from "./forms/kamon.js";
import { ask } from "./socket.js";
import { current, on, state } from "./state.js";
import { complain } from "./toast.js";
import { view } from "./views.js";
import { word } from "./words.js";

const FORMS = { kamisado, kamon };
const lineField = byId("editor-line");

let form = null;
let model = null;
let checked = null;
let chosen = null;

const board = new BoardView(byId("editor-stage"), {
  onMove(text) {
    const [from, to] = text.split("-").map(Number);
    form.move(model, from, to);
    chosen = to;
    changed();
  },
});

const formOf = (variant) => FORMS[Object.keys(FORMS).find((name) => variant.startsWith(name))];

/** The board has changed: the line follows, and is checked. */
function changed() {
  lineField.value = form.write(model);
  draw();
  check();
}

let lastCheck = 0;

async function check() {
  const number = ++lastCheck;
  const line = lineField.value.trim();
  try {
    const answer = await ask({ do: "check", position: line });
    if (number !== lastCheck) return;
    checked = answer;
    const isOther = form !== formOf(answer.variant);
    form = formOf(answer.variant);
    model = form.read(line) ?? form.read(answer.start ?? line);
    if (isOther) showFields();
    board.setStage(answer.stage, false);
    draw();
    says(`${word("editor.good")} ${answer.status ?? ""}`, true);
  } catch (error) {
    if (number !== lastCheck) return;
    checked = null;
    says(error.message, false);
  }
  for (const id of ["editor-analyse", "editor-play", "editor-link"]) byId(id).disabled = !checked;
}

function says(text, isGood) {
  byId("editor-says").textContent = text;
  byId("editor-says").className = isGood ? "good" : "wrong";
}

function draw() {
  if (!board.stage || !model) return;
  const scene = form.scene(model, board.stage);
  board.show(scene);
  const places = [...board.middles.keys()];
  const from = form.movable(model);
  board.offer(from.flatMap((place) => places.filter((to) => to !== place).map((to) => [`${place}-${to}`, place, to])), { isQuiet: true });
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
    const on = { change: ({ target }) => { setValue(name, target.value); changed(); } };
    const input = values
      ? make("select", { name, on }, ...values.map(([value, text]) => make("option", { value, text: word(text) })))
      : make("input", { type: "number", name, min: range[0], max: range[1], on });
    return make("label", { class: "field" }, make("span", { text: word(`editor.${name}`) }), input);
  };
  byId("editor-fields").replaceChildren(...form.fields.map(field));
  byId("palette").replaceChildren(
    ...form.tools.map(({ name, acts }) =>
      make("button", { type: "button", text: word(`editor.${name}`), on: { click: () => {
        if (board.from === null) return says(word("editor.choose"), false);
        chosen = board.from;
        acts(model, board.from);
        changed();
      } } }),
    ),
  );
  byId("editor-help").textContent = word("editor.help");
  showStarts();
}

function showStarts() {
  const begins = [
    ...(current() ? [["game", current().line]] : []),
    ...Object.entries(FORMS).flatMap(([name, it]) => it.starts().map(([kind, line]) => [`${name}.${kind}`, line])),
  ];
  byId("editor-starts").replaceChildren(...begins.map(([name, line]) => make("button", { type: "button", text: word(`editor.from.${name}`), on: { click: () => edit(line) } })));
}

/** Takes a position into the editor. */
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

const game = () => ({ variant: checked.variant, layout: checked.layout, start: { position: lineField.value.trim() }, players: [{ kind: "person" }, { kind: "person" }], clock: null });
byId("editor-analyse").addEventListener("click", () => begin(game()).catch(complain));
byId("editor-play").addEventListener("click", async () => {
  try {
    await begin(game());
    openSetup("goon");
  } catch (error) {
    complain(error);
  }
});
byId("editor-link").addEventListener("click", () => copyLink(lineField.value.trim()));

on("shown", (name) => {
  if (name !== "editor" || !state.welcome) return;
  if (form) showStarts();
  else edit(current()?.line ?? kamisado.start()).catch(complain);
});
on("welcome", () => view() === "editor" && !form && edit(kamisado.start()));
on("language", () => form && showFields());

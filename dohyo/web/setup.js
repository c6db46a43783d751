// The form for a new game and for playing on from a position: players, levels, time control.

import { addCommands } from "./commands.js";
import { dialogHead, openDialog } from "./dialogs.js";
import { byId, make } from "./dom.js";
import { icon } from "./icons.js";
import { requestGame } from "./session.js";
import { changeSettings, settings } from "./settings.js";
import { request } from "./socket.js";
import { state } from "./state.js";
import { showError } from "./toast.js";
import { showView } from "./views.js";
import { side, word } from "./words.js";

const DEFAULTS = {
  variant: null,
  layout: "standard",
  start: "usual",
  players: [
    { who: "person", level: "casual", ms: 1000 },
    { who: "0", level: "casual", ms: 1000 },
  ],
  time: "none",
  minutes: 5,
  increment: 3,
};

const BY_TIME = "time";

/** The previous choices. */
const chosen = () => structuredClone({ ...DEFAULTS, ...settings.setup });

const form = byId("setup-form");

function options(values, selected) {
  return values.map(([value, text]) =>
    make("option", { value, text, selected: value === selected }),
  );
}

function radio(name, value, text, selected, more) {
  return make(
    "label",
    { class: "chip" },
    make("input", { type: "radio", name, value, checked: value === selected }),
    make("span", {}, make("b", { text }), more ? make("small", { text: more }) : null),
  );
}

/** Opens the form. `mode` is `new`, or `goon` to play on from the current node. */
export function openSetup(mode = "new") {
  const dialog = byId("setup");
  const now = chosen();
  const { variants, levels, engines } = state.welcome;
  if (!variants.some(({ name }) => name === now.variant))
    now.variant = (variants.find(({ name }) => name === "kamisado-standard") ?? variants[0]).name;
  const isNew = mode === "new";
  const seat = (turn) => seatFields(turn, now.players[turn], levels, engines);
  form.replaceChildren(
    dialogHead(dialog, word(isNew ? "new" : "do.goon")),
    isNew
      ? make(
          "fieldset",
          {},
          make("legend", { text: word("game") }),
          make(
            "div",
            { class: "chips variants" },
            ...variants.map((variant) => variantRadio(variant, now.variant)),
          ),
        )
      : make("input", { type: "hidden", name: "variant", value: state.game.variant }),
    isNew ? startFields(now) : null,
    make(
      "fieldset",
      { class: "seats" },
      make("legend", { text: word("players") }),
      seat(0),
      make(
        "button",
        {
          type: "button",
          class: "plain swap",
          "aria-label": word("do.swap"),
          title: word("do.swap"),
          on: { click: swapSeats },
        },
        icon("swap"),
      ),
      seat(1),
    ),
    make(
      "fieldset",
      {},
      make("legend", { text: word("time") }),
      make(
        "div",
        { class: "chips" },
        radio("time", "none", word("time.none"), now.time),
        radio("time", "clock", word("time.clock"), now.time),
      ),
      make(
        "div",
        { class: "fields clock-fields" },
        number("minutes", word("time.minutes"), now.minutes, 0.1, 180, 0.1),
        number("increment", word("time.increment"), now.increment, 0, 60, 0.1),
      ),
    ),
    make("p", { id: "setup-error", class: "wrong", role: "alert" }),
    make(
      "div",
      { class: "row end" },
      make("button", {
        type: "submit",
        class: "main big",
        id: "start",
        text: word(isNew ? "start" : "do.goon"),
      }),
    ),
  );
  form.onsubmit = (event) => {
    event.preventDefault();
    start(mode).then(
      () => dialog.close(),
      (error) => {
        byId("setup-error").textContent = error.message;
      },
    );
  };
  form.oninput = updateFields;
  updateFields();
  openDialog(dialog);
  // Focus the button, so that Enter starts a game with the same choices.
  byId("start").focus();
}

/** Splits a title into the game and, in brackets, the kind of match. */
const kindOf = (title) => /^(\S+) \((.+)\)$/.exec(title)?.slice(1) ?? [title, null];

function variantRadio({ name, title }, selected) {
  const [game, kind] = kindOf(title);
  const what = word(`variant.${name}.what`);
  const text = kind ? word(`variant.${kind}`) : game;
  return radio("variant", name, text, selected, kind ? `${game} · ${what}` : what);
}

export function titleOf(name) {
  const [game, kind] = kindOf(
    state.welcome?.variants.find((it) => it.name === name)?.title ?? name,
  );
  return kind ? `${game}, ${word(`variant.${kind}`)}` : game;
}

function startFields(now) {
  const layouts = [...new Set(state.welcome.variants.flatMap((variant) => variant.layouts))];
  return make(
    "fieldset",
    {},
    make("legend", { text: word("beginning") }),
    make(
      "div",
      { class: "chips" },
      radio("start", "usual", word("start.usual"), now.start),
      radio("start", "random", word("start.random"), now.start),
    ),
    make(
      "label",
      { class: "field", id: "layout-field" },
      make("span", { text: word("layout") }),
      make(
        "select",
        { name: "layout" },
        ...options(
          layouts.map((name) => [name, word(`layout.${name}`)]),
          now.layout,
        ),
      ),
    ),
  );
}

function seatFields(turn, player, levels, engines) {
  const who = [
    ["person", word("person")],
    ...engines.map(({ name }, index) => [String(index), name]),
  ];
  const level = [
    ...levels.map(({ name, elo }) => [name, `${word(`level.${name}`)}${elo ? ` · ${elo}` : ""}`]),
    [BY_TIME, word("level.time")],
  ];
  const id = (name) => `${name}-${turn}`;
  return make(
    "div",
    { class: "seat" },
    make(
      "span",
      { class: "who" },
      make("span", { class: `disc disc-${turn}` }),
      make("b", { text: side(turn) }),
    ),
    make(
      "select",
      { name: id("who"), "aria-label": `${side(turn)}: ${word("player")}` },
      ...options(who, who.some(([value]) => value === player.who) ? player.who : "0"),
    ),
    make(
      "select",
      { name: id("level"), "aria-label": `${side(turn)}: ${word("level")}` },
      ...options(
        level,
        level.some(([value]) => value === player.level) ? player.level : level[0][0],
      ),
    ),
    make(
      "label",
      { class: "field inline", data: { ms: turn } },
      make("input", {
        name: id("ms"),
        type: "number",
        min: 0.01,
        max: 600,
        step: "any",
        value: player.ms / 1000,
        required: true,
        "aria-label": `${side(turn)}: ${word("level.time")}`,
      }),
      make("span", { text: word("seconds") }),
    ),
  );
}

function number(name, label, value, min, max) {
  return make(
    "label",
    { class: "field" },
    make("span", { text: label }),
    make("input", { type: "number", name, value, min, max, step: "any", required: true }),
  );
}

/** Shows only the fields that apply to the current choices. */
function updateFields() {
  const { elements } = form;
  const variant = state.welcome.variants.find(({ name }) => name === elements.variant.value);
  const layoutField = byId("layout-field");
  if (layoutField) layoutField.hidden = !variant || variant.layouts.length < 2;
  const hasClock = elements.time.value === "clock";
  form.querySelector(".clock-fields").hidden = !hasClock;
  for (const input of form.querySelectorAll(".clock-fields input")) input.disabled = !hasClock;
  for (const turn of [0, 1]) {
    const isEngine = elements[`who-${turn}`].value !== "person";
    const level = elements[`level-${turn}`];
    level.hidden = !isEngine;
    const byTime = isEngine && level.value === BY_TIME && !hasClock;
    form.querySelector(`[data-ms="${turn}"]`).hidden = !byTime;
    elements[`ms-${turn}`].disabled = !byTime;
  }
}

function swapSeats() {
  const { elements } = form;
  for (const name of ["who", "level", "ms"]) {
    const [black, white] = [elements[`${name}-0`], elements[`${name}-1`]];
    [black.value, white.value] = [white.value, black.value];
  }
  updateFields();
}

/** Reads the form into the stored choices. */
function read() {
  const { elements } = form;
  const before = chosen();
  const seat = (turn) => ({
    who: elements[`who-${turn}`].value,
    level: elements[`level-${turn}`].value,
    ms: Math.round(1000 * Number(elements[`ms-${turn}`].value)),
  });
  return {
    variant: elements.variant.value,
    layout: elements.layout?.value ?? before.layout,
    start: elements.start?.value ?? before.start,
    players: [seat(0), seat(1)],
    time: elements.time.value,
    minutes: Number(elements.minutes.value),
    increment: Number(elements.increment.value),
  };
}

function playersOf({ players, time }) {
  return players.map(({ who, level, ms }) => {
    if (who === "person") return { kind: "person" };
    const byTime = level === BY_TIME;
    return {
      kind: "engine",
      engine: Number(who),
      level: byTime ? null : level,
      movetime: byTime && time !== "clock" ? ms : null,
    };
  });
}

const clockOf = ({ time, minutes, increment }) =>
  time === "clock" ? { ms: Math.round(60000 * minutes), inc: Math.round(1000 * increment) } : null;

async function start(mode) {
  const choices = read();
  changeSettings({ setup: choices });
  const players = playersOf(choices);
  const clock = clockOf(choices);
  if (mode === "goon") {
    await request({ do: "goon", game: state.game.id, node: state.at, players, clock });
    state.follows = true;
    return;
  }
  const layouts = state.welcome.variants.find(({ name }) => name === choices.variant).layouts;
  const layout = layouts.includes(choices.layout) ? choices.layout : layouts[0];
  await startGame({ variant: choices.variant, layout, start: choices.start, players, clock });
}

/** Starts a game and shows it. */
export async function startGame(game) {
  await requestGame({ do: "new", ...game });
  showView("play");
}

addCommands({
  new: { can: () => Boolean(state.welcome), run: () => openSetup() },
  goon: {
    can: () => Boolean(state.game) && !state.game.get(state.at)?.end,
    run: () => openSetup("goon"),
  },
  again: {
    can: () => Boolean(state.game),
    async run() {
      const { variant, layout, players, clock } = state.game;
      const seats = [...players]
        .reverse()
        .map(({ kind, engine, level, movetime }) =>
          kind === "person" ? { kind } : { kind, engine, level, movetime },
        );
      const isRandom = chosen().start === "random" && chosen().variant === variant;
      // A rematch starts with the full time.
      const wound = clock && { ms: clock.full, inc: clock.inc };
      await startGame({
        variant,
        layout,
        start: isRandom ? "random" : "usual",
        players: seats,
        clock: wound,
      }).catch(showError);
    },
  },
});

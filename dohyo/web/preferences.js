// The settings dialog.

import { addCommands } from "./commands.js";
import { dialogHead, openDialog } from "./dialogs.js";
import { byId, make } from "./dom.js";
import { THEMES, changeSettings, settings } from "./settings.js";
import { on } from "./state.js";
import { LANGUAGES, language, word } from "./words.js";

const SWITCHES = ["letters", "arrows", "passes", "thoughts"];

function select(name, values, value) {
  return make(
    "label",
    { class: "field" },
    make("span", { text: word(`settings.${name}`) }),
    make(
      "select",
      { name, on: { change: ({ target }) => changeSettings({ [name]: target.value }) } },
      ...values.map(([key, text]) => make("option", { value: key, text, selected: key === value })),
    ),
  );
}

function toggle(name) {
  return make(
    "label",
    { class: "toggle" },
    make("input", {
      type: "checkbox",
      name,
      checked: settings[name],
      on: { change: ({ target }) => changeSettings({ [name]: target.checked }) },
    }),
    make("span", { text: word(`settings.${name}`) }),
  );
}

function fill() {
  const dialog = byId("settings");
  byId("settings-form").replaceChildren(
    dialogHead(dialog, word("settings")),
    make(
      "div",
      { class: "fields" },
      select("language", Object.entries(LANGUAGES), language()),
      select(
        "theme",
        THEMES.map((name) => [name, word(`theme.${name}`)]),
        settings.theme,
      ),
      select(
        "notation",
        ["symbols", "words"].map((name) => [name, word(`notation.${name}`)]),
        settings.notation,
      ),
    ),
    ...SWITCHES.map(toggle),
  );
}

addCommands({
  settings() {
    fill();
    openDialog(byId("settings"));
  },
});

on("language", () => byId("settings").open && fill());

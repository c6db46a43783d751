// Keyboard shortcuts. `?` lists them.

import { addCommands, run } from "./commands.js";
import { dialogHead, openDialog } from "./dialogs.js";
import { byId, make } from "./dom.js";
import { showView, view } from "./views.js";
import { state } from "./state.js";
import { word } from "./words.js";

/** Keys and their commands, by group. */
const KEYS = {
  "keys.navigate": [
    ["ArrowLeft", "back"],
    [",", "back"],
    ["ArrowRight", "forward"],
    [".", "forward"],
    ["Home", "first"],
    ["End", "last"],
    ["c", "head"],
    ["e", "nextmark"],
  ],
  "keys.play": [
    ["b", "squares"],
    ["1", "left"],
    ["2", "right"],
    ["0", "pass"],
    ["t", "takeback"],
    ["h", "hint"],
    ["r", "resign"],
    ["s", "swap"],
    ["z", "pause"],
    ["o", "goon"],
    ["n", "new"],
    ["m", "again"],
  ],
  "keys.analyse": [
    ["a", "analyse"],
    [" ", "best"],
    ["y", "review"],
    ["f", "flip"],
    ["l", "letters"],
    ["u", "promote"],
    ["Delete", "prune"],
    ["x", "export"],
    ["i", "import"],
  ],
  "keys.views": [
    ["p", "play"],
    ["g", "games"],
    ["d", "editor"],
    ["w", "watch"],
    [";", "settings"],
    ["?", "help"],
  ],
};

const GLOBAL = new Set([
  "new",
  "import",
  "play",
  "games",
  "editor",
  "watch",
  "settings",
  "help",
  "letters",
]);
/** Commands that repeat while the key is held down. */
const REPEATABLE = new Set(KEYS["keys.navigate"].map(([, name]) => name));
const byKey = new Map(Object.values(KEYS).flat());

const KEY_NAMES = { ArrowLeft: "←", ArrowRight: "→", Delete: "Del", " ": "␣" };

addCommands({
  play: () => showView("play"),
  games: () => showView("games"),
  editor: () => showView("editor"),
  watch: { can: () => Boolean(state.welcome?.watching), run: () => showView("watch") },
  help() {
    const dialog = byId("help");
    const names = (keys) => [...Map.groupBy(keys, ([, name]) => name)];
    const group = ([title, keys]) =>
      make(
        "section",
        {},
        make("h3", { class: "small", text: word(title) }),
        make(
          "dl",
          { class: "keys" },
          ...names(keys).flatMap(([name, bound]) => [
            make(
              "dt",
              {},
              ...bound.map(([key]) =>
                make("kbd", {
                  text: KEY_NAMES[key] ?? (key.length === 1 ? key.toUpperCase() : key),
                }),
              ),
            ),
            make("dd", { text: word(`key.${name}`) }),
          ]),
        ),
      );
    dialog.replaceChildren(
      dialogHead(dialog, word("keys")),
      make("p", { class: "muted", text: word("keys.board") }),
      make("div", { class: "key-groups" }, ...Object.entries(KEYS).map(group)),
    );
    openDialog(dialog);
  },
});

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.altKey || event.metaKey || event.defaultPrevented) return;
  const { target } = event;
  if (
    document.querySelector("dialog[open]") ||
    target.closest?.("input:not([type=radio]), textarea, select")
  )
    return;
  const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
  const name = byKey.get(key);
  if (!name || (view() !== "play" && !GLOBAL.has(name))) return;
  // The space bar presses a focused button. Arrow keys belong to a focused slider.
  if (key === " " && target.closest?.("button, [role=button], a, summary")) return;
  if (target.closest?.("[role=slider]") && key.startsWith("Arrow")) event.stopPropagation();
  if (event.repeat && !REPEATABLE.has(name)) event.preventDefault();
  else if (run(name)) event.preventDefault();
});

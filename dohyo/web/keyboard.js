// Every command has a key; `?` lists them.

import { addCommands, run } from "./commands.js";
import { dialogHead, openDialog } from "./dialogs.js";
import { byId, make } from "./dom.js";
import { showView, view } from "./views.js";
import { state } from "./state.js";
import { word } from "./words.js";

/** Keys by groups: the key, the command, and in which view it holds. */
const KEYS = {
  "keys.leaf": [["ArrowLeft", "back"], [",", "back"], ["ArrowRight", "forward"], [".", "forward"], ["Home", "first"], ["End", "last"], ["c", "head"], ["e", "nextmark"]],
  "keys.play": [["b", "squares"], ["1", "left"], ["2", "right"], ["0", "pass"], ["t", "takeback"], ["h", "hint"], ["r", "resign"], ["s", "swap"], ["z", "pause"], ["o", "goon"], ["n", "new"], ["m", "again"]],
  "keys.look": [["a", "analyse"], [" ", "best"], ["y", "review"], ["f", "flip"], ["l", "letters"], ["u", "promote"], ["Delete", "prune"], ["x", "export"], ["i", "import"]],
  "keys.views": [["p", "play"], ["g", "games"], ["d", "editor"], ["w", "watch"], [";", "settings"], ["?", "help"]],
};

const EVERYWHERE = new Set(["new", "import", "play", "games", "editor", "watch", "settings", "help", "letters"]);
/** What a key that is held does again and again; nothing else is meant more than once. */
const REPEATED = new Set(KEYS["keys.leaf"].map(([, name]) => name));
const byKey = new Map(Object.values(KEYS).flat());

const SIGNS = { ArrowLeft: "←", ArrowRight: "→", Delete: "Del", " ": "␣" };

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
        make("dl", { class: "keys" }, ...names(keys).flatMap(([name, bound]) => [make("dt", {}, ...bound.map(([key]) => make("kbd", { text: SIGNS[key] ?? (key.length === 1 ? key.toUpperCase() : key) }))), make("dd", { text: word(`key.${name}`) })])),
      );
    dialog.replaceChildren(dialogHead(dialog, word("keys")), make("p", { class: "muted", text: word("keys.board") }), make("div", { class: "key-groups" }, ...Object.entries(KEYS).map(group)));
    openDialog(dialog);
  },
});

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.altKey || event.metaKey || event.defaultPrevented) return;
  const { target } = event;
  if (document.querySelector("dialog[open]") || target.closest?.("input:not([type=radio]), textarea, select")) return;
  const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
  const name = byKey.get(key);
  if (!name || (view() !== "play" && !EVERYWHERE.has(name))) return;
  // A button in focus is pressed by the space bar; the moves are scrolled by Home and End only where they are not the board's.
  if (key === " " && target.closest?.("button, [role=button], a, summary")) return;
  if (target.closest?.("[role=slider]") && key.startsWith("Arrow")) event.stopPropagation();
  if (event.repeat && !REPEATED.has(name)) event.preventDefault();
  else if (run(name)) event.preventDefault();
});

// Import by paste, file or drop; export as text, file or link.

import { addCommands } from "./commands.js";
import { dialogHead, openDialog } from "./dialogs.js";
import { byId, make } from "./dom.js";
import { openGame } from "./gamelist.js";
import { gameLink, linkedStart, positionLink } from "./link.js";
import { startGame } from "./setup.js";
import { request } from "./socket.js";
import { state } from "./state.js";
import { showError, toast } from "./toast.js";
import { showView } from "./views.js";
import { count, word } from "./words.js";

const FORMATS = ["sheet", "symbols", "complete", "record", "moves", "position", "svg", "link"];

/** Formats of the whole game and of one line. All others export one position. */
const GAME_FORMATS = new Set(["complete", "record"]);
const LINE_FORMATS = new Set(["sheet", "symbols", "moves"]);

/** Number of errors shown after an import. */
const MAX_ERRORS = 20;

const MEBIBYTE = 2 ** 20;

/** Throws if the server would reject a text of this size. */
function checkSize(bytes) {
  const { bytes: most } = state.welcome.max;
  if (bytes > most) throw new Error(word("import.large", { most: count(most / MEBIBYTE) }));
}

/**
 * Imports games from a text and returns them with messages, one for each unreadable line. The game
 * on the board stays.
 */
async function importText(text, name) {
  const message = { do: "import", text, ...(name ? { name } : {}) };
  // Leaves room for the message's tag.
  checkSize(new Blob([JSON.stringify(message)]).size + 100);
  const answer = await request(message);
  const errors = answer.errors ?? [];
  const more = errors.length + (answer.untold ?? 0) - MAX_ERRORS;
  const messages = [
    make("p", {
      class: answer.games.length ? "good" : "wrong",
      text: word("import.read", { n: answer.games.length }),
    }),
    ...errors
      .slice(0, MAX_ERRORS)
      .map(({ line, text: reason }) =>
        make("p", { class: "wrong", text: line ? word("line", { line, text: reason }) : reason }),
      ),
    more > 0 ? make("p", { class: "wrong", text: word("import.more", { n: more }) }) : null,
  ].filter(Boolean);
  return { games: answer.games, messages };
}

/** Decodes a file as UTF-8 or UTF-16. A byte order mark or a zero byte at the start tells which. */
async function textOf(file) {
  const bytes = new Uint8Array(await file.arrayBuffer());
  const [first, second] = bytes;
  const isLittle = (first === 0xff && second === 0xfe) || second === 0;
  const isBig = (first === 0xfe && second === 0xff) || first === 0;
  const encoding = isLittle ? "utf-16le" : isBig ? "utf-16be" : "utf-8";
  return new TextDecoder(encoding).decode(bytes);
}

async function importTexts(texts) {
  const games = [];
  const messages = [];
  for (const { text, file, name } of texts) {
    try {
      if (file) checkSize(file.size);
      const content = await importText(file ? await textOf(file) : text, name);
      games.push(...content.games);
      if (name) messages.push(make("h4", {}, make("bdi", { text: name })));
      messages.push(...content.messages);
    } catch (error) {
      messages.push(
        make("p", { class: "wrong", text: `${name ? `${name}: ` : ""}${error.message}` }),
      );
    }
  }
  byId("import-report").replaceChildren(...messages);
  const hasErrors = byId("import-report").querySelector(".wrong") !== null;
  if (!games.length || hasErrors) {
    showView("games");
    byId("import-report").scrollIntoView({ block: "nearest" });
  }
  if (games.length && !hasErrors) {
    await openGame(games[0]).catch(showError);
    if (games.length === 1) showView("play");
    else showView("games");
    toast(word("import.read", { n: games.length }));
  }
}

const importFiles = async (files) =>
  importTexts([...files].map((file) => ({ file, name: file.name })));

byId("import").addEventListener("submit", (event) => {
  event.preventDefault();
  const text = byId("import-text").value;
  if (text.trim()) importTexts([{ text }]);
});
byId("import-file").addEventListener("change", ({ target }) => {
  importFiles(target.files).catch(showError);
  target.value = "";
});

// Drag and drop anywhere on the page.
let depth = 0;
const hasData = (event) =>
  [...(event.dataTransfer?.types ?? [])].some((type) => type === "Files" || type === "text/plain");
const showDrop = () => {
  byId("drop").hidden = depth === 0;
};
addEventListener("dragenter", (event) => {
  if (hasData(event)) {
    depth++;
    showDrop();
  }
});
addEventListener("dragleave", (event) => {
  if (hasData(event)) {
    depth = Math.max(0, depth - 1);
    showDrop();
  }
});
addEventListener("dragover", (event) => hasData(event) && event.preventDefault());
addEventListener("drop", (event) => {
  if (!hasData(event)) return;
  event.preventDefault();
  depth = 0;
  showDrop();
  const { files } = event.dataTransfer;
  if (files.length) importFiles(files).catch(showError);
  else importTexts([{ text: event.dataTransfer.getData("text/plain") }]);
});
// Paste while no field has the focus.
addEventListener("paste", (event) => {
  if (event.target.closest?.("input, textarea, dialog")) return;
  const { files } = event.clipboardData;
  const text = event.clipboardData.getData("text/plain");
  if (files.length) importFiles(files).catch(showError);
  else if (text.trim()) importTexts([{ text }]);
});

// Export.

async function exportText(form) {
  const as = form === "link" ? "moves" : form;
  const exported = await request({ do: "export", game: state.game.id, as, ...scopeOf(as) });
  if (form !== "link") return exported;
  return { name: null, mime: "text/plain", text: await gameLink(exported.text.trim()) };
}

/**
 * The part of the game to export: the game as played, the variation on the board, or the position
 * on the board.
 */
function scopeOf(form) {
  const { game, at } = state;
  if (GAME_FORMATS.has(form)) return {};
  if (!LINE_FORMATS.has(form)) return { node: at };
  // Nodes after the head are analysis.
  const played = game.state === "free" ? game.lineThrough(game.root) : game.pathTo(game.head);
  return played.includes(at) ? {} : { node: game.lineThrough(at).at(-1) };
}

function openExport() {
  const dialog = byId("export");
  const text = make("textarea", {
    id: "export-text",
    rows: 12,
    readonly: true,
    spellcheck: "false",
    "aria-label": word("export.text"),
  });
  const picture = make("img", { class: "picture", alt: word("board"), hidden: true });
  const messages = make("p", { class: "wrong", role: "alert" });
  let content = null;
  /** Shows the exported text, or disables copying and saving if `value` is null. */
  const offer = (form, value) => {
    content = value;
    text.value = content?.text ?? "";
    text.dataset.form = form;
    picture.hidden = !content || form !== "svg";
    if (!picture.hidden) picture.src = `data:image/svg+xml,${encodeURIComponent(content.text)}`;
    save.hidden = content !== null && !content.name;
    save.disabled = copy.disabled = content === null;
  };
  const choose = async (form) => {
    messages.textContent = "";
    try {
      offer(form, await exportText(form));
    } catch (error) {
      offer(form, null);
      messages.textContent = error.message;
    }
  };
  const save = make("button", {
    type: "button",
    text: word("export.save"),
    on: { click: () => download(content) },
  });
  const copy = make("button", {
    type: "button",
    class: "main",
    text: word("copy"),
    on: { click: () => copyText(text) },
  });
  const chips = FORMATS.map((form, index) =>
    make(
      "label",
      { class: "chip" },
      make("input", {
        type: "radio",
        name: "form",
        value: form,
        checked: index === 0,
        on: { change: () => choose(form) },
      }),
      make("span", { text: word(`export.${form}`) }),
    ),
  );
  dialog.replaceChildren(
    dialogHead(dialog, word("do.export")),
    make(
      "div",
      { class: "chips", role: "radiogroup", "aria-label": word("export.form") },
      ...chips,
    ),
    picture,
    text,
    messages,
    make("div", { class: "row end" }, save, copy),
  );
  openDialog(dialog);
  choose(FORMATS[0]);
}

async function copyText(field) {
  try {
    await navigator.clipboard.writeText(field.value);
  } catch {
    field.select();
    document.execCommand("copy");
  }
  toast(word("copied"));
}

export async function copyLink(line) {
  const link = positionLink(line);
  try {
    await navigator.clipboard.writeText(link);
    toast(word("copied"));
  } catch {
    toast(link);
  }
}

function download({ name, mime, text }) {
  const link = make("a", {
    href: URL.createObjectURL(new Blob([text], { type: mime })),
    download: name,
  });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}

addCommands({
  export: { can: () => Boolean(state.game), run: openExport },
  import: () => {
    showView("games");
    byId("import-text").focus();
  },
});

/** Opens the position or game in the address, and returns whether there is one. */
export async function openLink() {
  const linked = await linkedStart().catch(() => {
    throw new Error(word("error.link"));
  });
  if (!linked) return false;
  const { position, command } = linked;
  const { variant, layout } = command
    ? { variant: state.welcome.variants[0].name }
    : await request({ do: "check", position });
  await startGame({
    variant,
    layout,
    start: command ? { line: command } : { position },
    players: [{ kind: "person" }, { kind: "person" }],
    clock: null,
  });
  return true;
}

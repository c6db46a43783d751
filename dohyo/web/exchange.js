// Games and positions in and out: by paste, file and drop; as text to copy, as a file, and as a link.

import { addCommands } from "./commands.js";
import { dialogHead, openDialog } from "./dialogs.js";
import { byId, make } from "./dom.js";
import { openGame } from "./gamelist.js";
import { begin } from "./setup.js";
import { ask } from "./socket.js";
import { state } from "./state.js";
import { complain, toast } from "./toast.js";
import { showView } from "./views.js";
import { count, word } from "./words.js";

const FORMS = ["sheet", "symbols", "complete", "record", "moves", "position", "svg", "link"];

/** The forms of the game as a whole, of a line of it, and of one position. */
const WHOLE = new Set(["complete", "record"]);
const OF_LINE = new Set(["sheet", "symbols", "moves"]);

/** As many as a reader looks at. */
const MOST_ERRORS = 20;

const MEBIBYTE = 2 ** 20;

/** Refuses what the server would not read. */
function checkSize(bytes) {
  const { bytes: most } = state.welcome.max;
  if (bytes > most) throw new Error(word("import.large", { most: count(most / MEBIBYTE) }));
}

/** Reads games of a text; what cannot be read is named with its line, and the game on the board stays. */
async function read(text, name) {
  const order = { do: "import", text, ...(name ? { name } : {}) };
  // With some room for the order's number.
  checkSize(new Blob([JSON.stringify(order)]).size + 100);
  const answer = await ask(order);
  const errors = answer.errors ?? [];
  const more = errors.length + (answer.untold ?? 0) - MOST_ERRORS;
  const says = [
    make("p", { class: answer.games.length ? "good" : "wrong", text: word("import.read", { n: answer.games.length }) }),
    ...errors.slice(0, MOST_ERRORS).map(({ line, text: reason }) => make("p", { class: "wrong", text: line ? word("line", { line, text: reason }) : reason })),
    more > 0 ? make("p", { class: "wrong", text: word("import.more", { n: more }) }) : null,
  ].filter(Boolean);
  return { games: answer.games, says };
}

/** The text of a file in UTF-8 or UTF-16, which the first bytes tell apart. */
async function textOf(file) {
  const bytes = new Uint8Array(await file.arrayBuffer());
  const [first, second] = bytes;
  const isLittle = (first === 0xff && second === 0xfe) || second === 0;
  const isBig = (first === 0xfe && second === 0xff) || first === 0;
  const encoding = isLittle ? "utf-16le" : isBig ? "utf-16be" : "utf-8";
  return new TextDecoder(encoding).decode(bytes);
}

async function take(texts) {
  const games = [];
  const says = [];
  for (const { text, file, name } of texts) {
    try {
      if (file) checkSize(file.size);
      const got = await read(file ? await textOf(file) : text, name);
      games.push(...got.games);
      if (name) says.push(make("h4", {}, make("bdi", { text: name })));
      says.push(...got.says);
    } catch (error) {
      says.push(make("p", { class: "wrong", text: `${name ? `${name}: ` : ""}${error.message}` }));
    }
  }
  byId("import-says").replaceChildren(...says);
  const hasTrouble = byId("import-says").querySelector(".wrong") !== null;
  if (!games.length || hasTrouble) {
    showView("games");
    byId("import-says").scrollIntoView({ block: "nearest" });
  }
  if (games.length && !hasTrouble) {
    await openGame(games[0]).catch(complain);
    if (games.length === 1) showView("play");
    else showView("games");
    toast(word("import.read", { n: games.length }));
  }
}

const readFiles = async (files) => take([...files].map((file) => ({ file, name: file.name })));

byId("import").addEventListener("submit", (event) => {
  event.preventDefault();
  const text = byId("import-text").value;
  if (text.trim()) take([{ text }]);
});
byId("import-file").addEventListener("change", ({ target }) => {
  readFiles(target.files).catch(complain);
  target.value = "";
});

// Dropped anywhere on the page.
let depth = 0;
const hasData = (event) => [...(event.dataTransfer?.types ?? [])].some((type) => type === "Files" || type === "text/plain");
const showDrop = () => { byId("drop").hidden = depth === 0; };
addEventListener("dragenter", (event) => { if (hasData(event)) { depth++; showDrop(); } });
addEventListener("dragleave", (event) => { if (hasData(event)) { depth = Math.max(0, depth - 1); showDrop(); } });
addEventListener("dragover", (event) => hasData(event) && event.preventDefault());
addEventListener("drop", (event) => {
  if (!hasData(event)) return;
  event.preventDefault();
  depth = 0;
  showDrop();
  const { files } = event.dataTransfer;
  if (files.length) readFiles(files).catch(complain);
  else take([{ text: event.dataTransfer.getData("text/plain") }]);
});
// Pasted while no field has the focus.
addEventListener("paste", (event) => {
  if (event.target.closest?.("input, textarea, dialog")) return;
  const { files } = event.clipboardData;
  const text = event.clipboardData.getData("text/plain");
  if (files.length) readFiles(files).catch(complain);
  else if (text.trim()) take([{ text }]);
});

// Out.

export const linkTo = (line) => `${location.origin}/#position=${encodeURIComponent(line)}`;

async function exported(form) {
  const node = state.game.get(state.at);
  if (form === "link") return { name: null, mime: "text/plain", text: linkTo(node.line) };
  return ask({ do: "export", game: state.game.id, as: form, ...partFor(form) });
}

/** The part of the game that a form exports: the game as played, the variation on the board, or the position on the board. */
function partFor(form) {
  const { game, at } = state;
  if (WHOLE.has(form)) return {};
  if (!OF_LINE.has(form)) return { node: at };
  // Nodes after the head are analysis.
  const played = game.state === "free" ? game.lineThrough(game.root) : game.pathTo(game.head);
  return played.includes(at) ? {} : { node: game.lineThrough(at).at(-1) };
}

function openExport() {
  const dialog = byId("export");
  const text = make("textarea", { id: "export-text", rows: 12, readonly: true, spellcheck: "false", "aria-label": word("export.text") });
  const picture = make("img", { class: "picture", alt: word("board"), hidden: true });
  const says = make("p", { class: "wrong", role: "alert" });
  let got = null;
  /** Shows what there is to copy and to save; null where it could not be made. */
  const offer = (form, value) => {
    got = value;
    text.value = got?.text ?? "";
    text.dataset.form = form;
    picture.hidden = !got || form !== "svg";
    if (!picture.hidden) picture.src = `data:image/svg+xml,${encodeURIComponent(got.text)}`;
    save.hidden = got !== null && !got.name;
    save.disabled = copy.disabled = got === null;
  };
  const choose = async (form) => {
    says.textContent = "";
    try {
      offer(form, await exported(form));
    } catch (error) {
      offer(form, null);
      says.textContent = error.message;
    }
  };
  const save = make("button", { type: "button", text: word("export.save"), on: { click: () => download(got) } });
  const copy = make("button", { type: "button", class: "main", text: word("copy"), on: { click: () => copyText(text) } });
  const chips = FORMS.map((form, index) =>
    make("label", { class: "chip" }, make("input", { type: "radio", name: "form", value: form, checked: index === 0, on: { change: () => choose(form) } }), make("span", { text: word(`export.${form}`) })),
  );
  dialog.replaceChildren(dialogHead(dialog, word("do.export")), make("div", { class: "chips", role: "radiogroup", "aria-label": word("export.form") }, ...chips), picture, text, says, make("div", { class: "row end" }, save, copy));
  openDialog(dialog);
  choose(FORMS[0]);
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
  const link = linkTo(line);
  try {
    await navigator.clipboard.writeText(link);
    toast(word("copied"));
  } catch {
    toast(link);
  }
}

function download({ name, mime, text }) {
  const link = make("a", { href: URL.createObjectURL(new Blob([text], { type: mime })), download: name });
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

/** Opens the position that the address holds; whether it holds one. */
export async function openLink() {
  const position = new URLSearchParams(location.hash.slice(1)).get("position");
  if (position === null) return false;
  const checked = await ask({ do: "check", position });
  await begin({ variant: checked.variant, layout: checked.layout, start: { position }, players: [{ kind: "person" }, { kind: "person" }], clock: null });
  return true;
}

// The worker of a tab. One of these workers, the owner, runs the board for all tabs of this address
// and writes the games. The others pass the messages of their tabs on to it. If the owner ends,
// another one takes over.

import { runEngines } from "./engines.js";
import { openStore } from "./store.js";
import init, { Board } from "./dohyo_web.js";

/** Pages at other addresses of the same host have their own board. */
const scope = `dohyo ${new URL(".", location.href).pathname}`;
const channel = new BroadcastChannel(scope);
const me = crypto.getRandomValues(new Uint32Array(4)).join("-");

/** Number of this worker's own tab. */
const OWN_TAB = 0;

/** The board, if this worker is the owner. */
let board = null;
/** The owner that this tab is connected to. */
let owner = null;
/** The other tabs, by their numbers. */
const tabs = new Map();
let lastTab = OWN_TAB;

const lockOf = (worker) => `${scope} ${worker}`;

/** Holds a lock until this worker ends. Resolves once it is held. */
const hold = (name) =>
  new Promise((held) => {
    navigator.locks.request(name, () => {
      held();
      return new Promise(() => {});
    });
  });

/** Tells the tab that its connection is open or lost. */
const report = (isOpen) => postMessage({ isOpen });

function follow(next) {
  if (board || owner === next) return;
  if (owner) report(false);
  owner = next;
  channel.postMessage({ kind: "connect", from: me, to: owner });
  report(true);
}

async function own() {
  if (owner) report(false);
  owner = null;
  const module = new URL("dohyo_web_bg.wasm", import.meta.url);
  const [store] = await Promise.all([
    openStore(scope, saved),
    init({ module_or_path: module }),
  ]);
  const engines = runEngines({
    line: (engine, line) => board.engineLine(engine, line),
    failed: (engine, error) => board.engineFailed(engine, error),
  });
  globalThis.boardHost = {
    ...engines,
    save: store.save,
    remove: store.remove,
    post(tab, text) {
      if (tab === OWN_TAB) postMessage(text);
      else channel.postMessage({ kind: "message", to: tabs.get(tab), text });
    },
    random: () => crypto.getRandomValues(new BigUint64Array(1))[0],
    localDate(time) {
      const date = new Date(time);
      const two = (number) => String(number).padStart(2, "0");
      return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
    },
  };
  board = new Board(
    store.games.map(([id]) => id),
    store.games.map(([, text]) => text),
  );
  board.connect(OWN_TAB);
  report(true);
  channel.postMessage({ kind: "owner", from: me });
}

function saved(id, error) {
  board.saved(id, error);
}

/** Connects another tab until its worker ends, which frees its lock. */
function connect(worker) {
  const tab = ++lastTab;
  tabs.set(tab, worker);
  board.connect(tab);
  navigator.locks.request(lockOf(worker), () => {
    tabs.delete(tab);
    board.disconnect(tab);
  });
}

function receive(worker, text) {
  for (const [tab, name] of tabs) if (name === worker) board.receive(tab, text);
}

channel.addEventListener("message", ({ data }) => {
  const { kind, from, to, text } = data;
  if (to && to !== me) return;
  if (kind === "seek" && board) channel.postMessage({ kind: "owner", from: me });
  if (kind === "owner") follow(from);
  if (kind === "connect" && board) connect(from);
  if (kind === "request" && board) receive(from, text);
  if (kind === "message") postMessage(text);
});

addEventListener("message", ({ data }) => {
  if (board) board.receive(OWN_TAB, data);
  else if (owner) channel.postMessage({ kind: "request", from: me, to: owner, text: data });
});

// A rejected promise ends the worker like any other error, and the page starts a new one.
addEventListener("unhandledrejection", ({ reason }) => {
  setTimeout(() => {
    throw reason;
  });
});

if (navigator.locks) {
  await hold(lockOf(me));
  navigator.locks.request(scope, async () => {
    await own();
    await new Promise(() => {});
  });
  channel.postMessage({ kind: "seek", from: me });
} else {
  // Only an insecure address has no locks. Each tab has its own board there, without storage.
  await own();
}

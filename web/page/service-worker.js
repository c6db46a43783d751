// Keeps all files of one version of the page, so that it works offline. A new version is loaded as
// a whole and takes over when the last tab of the old one is closed. So it never disturbs an open
// game.

/* global VERSION, FILES */
importScripts("version.js");

const PREFIX = `dohyo ${new URL(".", location.href).pathname} `;
const CACHE = PREFIX + VERSION;

/** The module of the engine that this browser does not use: see `engine/host.js`. */
const UNUSED =
  typeof WebAssembly.Suspending === "function"
    ? "engine/oshi_asyncify.wasm"
    : "engine/oshi_bg.wasm";

addEventListener("install", (event) => {
  const load = async () => {
    const cache = await caches.open(CACHE);
    const used = FILES.filter((file) => file !== UNUSED);
    // The browser's own cache may hold files of another version.
    await cache.addAll(used.map((file) => new Request(file, { cache: "no-cache" })));
  };
  event.waitUntil(load());
});

addEventListener("activate", (event) => {
  const removeOthers = async () => {
    const names = await caches.keys();
    const old = names.filter((name) => name.startsWith(PREFIX) && name !== CACHE);
    await Promise.all(old.map((name) => caches.delete(name)));
  };
  event.waitUntil(removeOthers());
});

addEventListener("fetch", (event) => {
  if (event.request.method !== "GET") return;
  const answer = async () => {
    const cache = await caches.open(CACHE);
    const kept = await cache.match(event.request, { ignoreSearch: true });
    return kept ?? fetch(event.request);
  };
  event.respondWith(answer());
});

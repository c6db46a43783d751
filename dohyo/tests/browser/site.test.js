// The static page: storage in the browser, several tabs, installation, updates and links.

import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { serveFiles } from "./files.js";
import {
  SITE,
  STATIC,
  exported,
  folder,
  launch,
  open,
  program,
  serve,
  startOf,
  text,
  until,
} from "./harness.js";
import { INPUTS, goOn, openAt, playOne, ready } from "./inputs.js";

const first = (offered) => offered[0];
const SUBPATH = "/some/where/";

/** A server of the static page with other files for some names. Its contexts are private. */
async function serveChanged(t, changes) {
  const files = await serveFiles(SITE, { path: SUBPATH, find: (name) => changes[name] });
  t.after(() => files.end());
  return { url: files.url, page: files.url, port: files.port, end: files.end };
}

/** Writes a file of the page with a line before it, and returns its path. */
function changed(name, line) {
  const file = join(folder(), name.replaceAll("/", "-"));
  writeFileSync(file, `${line}\n${readFileSync(join(SITE, name), "utf8")}`);
  return file;
}

async function plays(page, moves) {
  for (let i = 0; i < moves; i++) await playOne(page, INPUTS.mouse, first);
}

const hasWorker = (page) =>
  page.evaluate(async () => {
    await navigator.serviceWorker.ready;
  });

test("is served by python3 -m http.server below another path", STATIC, async (t) => {
  const { port, end } = await serveFiles(SITE);
  await end();
  const server = spawn("python3", [
    "-m",
    "http.server",
    String(port),
    "--bind",
    "127.0.0.1",
    "--directory",
    join(SITE, ".."),
  ]);
  t.after(() => server.kill());
  const url = `http://127.0.0.1:${port}/${SITE.split("/").at(-1)}/`;
  for (let tries = 0; tries < 100; tries++) {
    if (await fetch(url).then(({ ok }) => ok, () => false)) break;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  const page = await openAt(t, startOf(3), { server: { url, page: url } });
  await plays(page, 2);
});

test("another tab takes over when the owner of the games is closed", STATIC, async (t) => {
  const server = await serve();
  t.after(() => server.end());
  const page = await openAt(t, startOf(3), { server });
  await plays(page, 2);
  const other = await open(t, { server, hash: new URL(page.url()).hash, offline: true });
  await ready(other);
  const before = await exported(other, "moves");
  await other.evaluate(() => {
    const offline = document.querySelector("#offline");
    const note = () => {
      window.isBack = offline.hidden;
    };
    new MutationObserver(note).observe(offline, { attributes: true });
  });
  await page.close();
  await until(other, () => window.isBack);
  await ready(other);
  await plays(other, 1);
  const after = await exported(other, "moves");
  assert.ok(after.startsWith(before.trim()) && after !== before);
  await other.reload();
  await ready(other);
  assert.equal(await exported(other, "moves"), after);
});

test("keeps the game after the browser was killed", STATIC, async (t) => {
  const server = await serve();
  t.after(() => server.end());
  const data = folder();
  const begun = await launch({ userDataDir: data });
  const whole = { ...server, context: (browser) => browser.defaultBrowserContext() };
  const page = await openAt(t, startOf(3), { server: whole, within: begun });
  await plays(page, 4);
  const [before, { hash }] = [await exported(page, "moves"), new URL(page.url())];
  begun.process().kill("SIGKILL");
  await new Promise((resolve) => begun.once("disconnected", resolve));
  const again = await launch({ userDataDir: data });
  t.after(() => again.close());
  const shown = await open(t, { server: whole, within: again, hash });
  await ready(shown);
  assert.equal(await exported(shown, "moves"), before);
});

test("plays on with a message if the storage is refused", STATIC, async (t) => {
  const refusal =
    'IDBFactory.prototype.open = () => { throw new DOMException("denied", "SecurityError"); };';
  const server = await serveChanged(t, { "store.js": changed("store.js", refusal) });
  const page = await openAt(t, startOf(3), { server });
  await page.waitForSelector(".toast.error");
  assert.match(await text(page, ".toast.error"), /cannot save the game.*stays in memory/);
  await plays(page, 3);
});

test("plays on with a message if the storage is full, and saves later", STATIC, async (t) => {
  const refusal = `let refusals = 3;
const { put } = IDBObjectStore.prototype;
IDBObjectStore.prototype.put = function (...record) {
  if (refusals-- > 0) throw new DOMException("no room", "QuotaExceededError");
  return put.apply(this, record);
};`;
  const server = await serveChanged(t, { "store.js": changed("store.js", refusal) });
  const page = await openAt(t, startOf(3), { server });
  await page.waitForSelector(".toast.error");
  assert.match(await text(page, ".toast.error"), /storage is full.*stays in memory/);
  await plays(page, 3);
  await until(page, () => /saved again/.test(document.querySelector("#toasts").textContent));
  const before = await exported(page, "moves");
  await page.reload();
  await ready(page);
  assert.equal(await exported(page, "moves"), before);
});

test("works offline after the first visit, with the engine", STATIC, async (t) => {
  const server = await serveChanged(t, {});
  const page = await openAt(t, startOf(3), { server });
  await hasWorker(page);
  await plays(page, 2);
  const before = await exported(page, "moves");
  await server.end();
  await page.reload();
  await ready(page);
  assert.equal(await exported(page, "moves"), before);
  await goOn(page, INPUTS.mouse, { "who-0": "person", "who-1": "0", "level-1": "beginner" });
  await plays(page, 2);
});

test("an update leaves the open game alone and comes with the next visit", STATIC, async (t) => {
  const changes = {};
  const server = await serveChanged(t, changes);
  const page = await openAt(t, startOf(3), { server });
  await hasWorker(page);
  // The first visit itself is not served by the service worker.
  await page.reload();
  await ready(page);
  await plays(page, 2);
  changes["version.js"] = changed("version.js", "// another version");
  const source = readFileSync(changes["version.js"], "utf8");
  writeFileSync(changes["version.js"], source.replace(/VERSION = "\w+"/, 'VERSION = "next"'));
  changes["index.html"] = join(folder(), "index.html");
  const index = readFileSync(join(SITE, "index.html"), "utf8");
  writeFileSync(changes["index.html"], index.replace('lang="en"', 'lang="en" data-next'));
  await page.evaluate(async () => {
    const registration = await navigator.serviceWorker.ready;
    await registration.update();
  });
  await until(page, async () =>
    Boolean((await navigator.serviceWorker.getRegistration())?.waiting),
  );
  await plays(page, 1);
  const before = await exported(page, "moves");
  await page.reload();
  await ready(page);
  assert.equal(await exported(page, "moves"), before);
  assert.equal(await page.$("[data-next]"), null, "the old version is still in use");
  // The browser decides how soon after the last visit the new version takes over.
  let visits = 0;
  do {
    assert.ok(visits++ < 20, "the old version stays in use");
    await page.goto("about:blank");
    await page.goto(server.url);
    await ready(page);
  } while ((await page.$("[data-next]")) === null);
  assert.equal(await exported(page, "moves"), before);
});

test("a link of a long game is short and opens in another browser", STATIC, async (t) => {
  const PLIES = 165;
  const dir = join(folder(), "long");
  const engines = ["--engine", "cmd=builtin:greedy", "--engine", "cmd=builtin:random"];
  const match = ["match", ...engines, "--variant", "kamisado-marathon", "--rounds", "5"];
  execFileSync(program("basho"), [...match, "--into", dir], { stdio: "ignore" });
  const records = readFileSync(join(dir, "games.jsonl"), "utf8").trim().split("\n");
  const [record] = records.sort((one, other) => other.length - one.length);
  const page = await open(t, { hash: "#games" });
  await page.$eval(
    "#import-text",
    (it, source) => {
      it.value = source;
    },
    record,
  );
  await page.click("#import button.main");
  await until(page, () => location.hash.startsWith("#game="));
  const moves = (await exported(page, "moves")).trim().split(" ");
  const start = moves.indexOf("moves") + 1;
  assert.ok(moves.length - start >= PLIES, `${moves.length - start} plies`);
  const link = await exported(page, "link");
  t.diagnostic(`${link.length} characters for ${moves.length - start} plies`);
  const perPly = link.length / (moves.length - start);
  assert.ok(PLIES * perPly < 2000, link);
  const other = await serveChanged(t, {});
  const shown = await open(t, { server: other, hash: new URL(link).hash });
  await until(shown, () => location.hash.startsWith("#game="));
  assert.equal(await exported(shown, "moves"), `${moves.join(" ")}\n`);
});

test("reports a damaged link", STATIC, async (t) => {
  for (const damaged of ["#moves=abc", "#moves=%00", "#moves="]) {
    const page = await open(t, { hash: damaged });
    await page.waitForSelector(".toast.error");
  }
});

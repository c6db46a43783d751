// Starts dohyo with its own data folder and opens its page in Chromium. Each test file runs in its
// own process and has its own server.
//
// With `DOHYO_SITE=FOLDER` the page is the static one of `web/build-site` instead: a server of
// files, and a browser context that holds the games.

import assert from "node:assert/strict";
import { spawn, execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer as createSocketServer } from "node:net";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { after, before } from "node:test";
import { fileURLToPath } from "node:url";
import puppeteer from "puppeteer-core";
import { serveFiles } from "./files.js";

const ROOT = fileURLToPath(new URL("../../..", import.meta.url));
/** Folder of the programs, relative to the repository root. */
const BUILD = resolve(ROOT, process.env.OSHI_BUILD ?? "target/release");
export const program = (name) => join(BUILD, name);
export const VARIANTS = [
  "kamisado-simple",
  "kamisado-standard",
  "kamisado-long",
  "kamisado-marathon",
  "kamon",
];
export const SIZES = {
  desktop: { width: 1280, height: 800 },
  phone: { width: 390, height: 844, hasTouch: true, isMobile: true },
};

/** Folder of the static page, if that is tested. */
export const SITE = process.env.DOHYO_SITE && resolve(ROOT, process.env.DOHYO_SITE);
/** Options of a test that needs the native server. */
export const NATIVE = { skip: Boolean(SITE) && "needs the native server" };
/** Options of a test that needs the static page. */
export const STATIC = { skip: !SITE && "needs the static page (DOHYO_SITE)" };

/** Limit of each wait, in milliseconds. Far above any expected time. */
const TIMEOUT = 60_000;

function freePort() {
  return new Promise((resolve) => {
    const server = createSocketServer().listen(0, "127.0.0.1", () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });
}

/** Cleanup functions, run at exit. */
const cleanups = [];
process.on("exit", () => cleanups.forEach((cleanup) => cleanup()));

/** Creates a temporary folder that is removed at exit. */
export function folder() {
  const made = mkdtempSync(join(tmpdir(), "dohyo-browser-"));
  cleanups.push(() => rmSync(made, { recursive: true, force: true }));
  return made;
}

/** Starts a server and waits for its address. */
export const serve = (options) => (SITE ? serveSite(options) : serveNative(options));

/** Serves the static page from a sub-path. The games are in a browser context. */
async function serveSite({ port } = {}) {
  const files = await serveFiles(SITE, { port, path: "/games/dohyo/" });
  let context;
  return {
    url: files.url,
    page: files.url,
    port: files.port,
    /** The context is shared by all pages of the server, as the data folder is. */
    context: (browser) => (context ??= browser.createBrowserContext()),
    async end() {
      await (await context)?.close().catch(() => {});
      await files.end();
    },
  };
}

async function serveNative({ data = folder(), port, more = [] } = {}) {
  const chosen = port ?? (await freePort());
  const child = spawn(
    program("dohyo"),
    ["--no-open", "--port", String(chosen), "--data", data, ...more],
    { stdio: ["ignore", "pipe", "inherit"] },
  );
  const url = await new Promise((resolve, reject) => {
    let text = "";
    child.stdout.on("data", (chunk) => {
      text += chunk;
      const found = /http:\/\/\S+/.exec(text);
      if (found) resolve(found[0]);
    });
    child.on("error", reject);
    child.on("exit", (code) =>
      reject(new Error(`dohyo exited with code ${code} before printing its address: ${text}`)),
    );
  });
  cleanups.push(() => child.kill("SIGKILL"));
  return {
    url,
    page: `${new URL(url).origin}/`,
    data,
    port: chosen,
    pid: child.pid,
    end: (signal = "SIGTERM") =>
      new Promise((resolve) => {
        if (child.exitCode !== null || child.signalCode !== null) return resolve();
        child.on("exit", resolve);
        child.kill(signal);
      }),
  };
}

export const launch = (options) =>
  puppeteer.launch({
    timeout: TIMEOUT,
    ...options,
    executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
    // Chromium's sandbox does not start as root, as in a container.
    args: ["--no-sandbox"],
  });

let browser;
let common;

before(async () => {
  [browser, common] = await Promise.all([launch(), serve()]);
});
after(async () => {
  await browser?.close();
  await common?.end();
});

const createContext = (browser) => browser.createBrowserContext();

/**
 * Opens a page of a server. Browser warnings and requests to other hosts fail the test. `hash` is
 * the fragment of the address; `motion` enables animations.
 */
export async function open(
  t,
  {
    server = common,
    within = browser,
    size = "desktop",
    language = "en",
    hash = "",
    motion = false,
    offline = false,
  } = {},
) {
  const context = await (server.context ?? createContext)(within);
  // A window, because a tab in the background does not draw.
  const page = await context.newPage({ type: "window" });
  const warnings = [];
  const isLost = (text) => offline && /WebSocket|ERR_CONNECTION_REFUSED/.test(text);
  page.on(
    "console",
    (message) =>
      ["error", "warn"].includes(message.type()) &&
      !isLost(message.text()) &&
      warnings.push(message.text()),
  );
  page.on("pageerror", (error) => warnings.push(error.stack ?? error.message));
  page.on(
    "request",
    (request) =>
      new URL(request.url()).hostname === "127.0.0.1" ||
      /^(data|blob):/.test(request.url()) ||
      warnings.push(`unexpected request: ${request.url()}`),
  );
  t.after(async () => {
    if (server.context) await page.close().catch(() => {});
    else await context.close();
    assert.deepEqual(warnings, []);
  });
  page.setDefaultTimeout(TIMEOUT);
  await page.setViewport(SIZES[size]);
  await emulateMedia(page, { motion });
  await page.setExtraHTTPHeaders({ "Accept-Language": language });
  await page.evaluateOnNewDocument(
    (code) => Object.defineProperty(navigator, "languages", { get: () => [code] }),
    language,
  );
  // Each page begins with the default settings, even in a shared context.
  await page.evaluateOnNewDocument(() => {
    if (location.protocol === "about:" || sessionStorage.getItem("begun")) return;
    localStorage.clear();
    sessionStorage.setItem("begun", "yes");
  });
  // The address with the token redirects to the page and drops the fragment.
  await page.goto(server.url);
  if (hash) {
    // Leave the page first: it has already set its own fragment.
    await page.goto("about:blank");
    await page.goto(`${server.page}${hash}`);
  }
  await page.waitForFunction(
    () =>
      document.querySelector("dialog[open]") ||
      [...document.querySelectorAll(".view")].some((it) => !it.hidden),
  );
  return page;
}

/** Emulates the user's colour scheme and motion preferences. */
export const emulateMedia = (page, { scheme = "light", motion = false }) =>
  page.emulateMediaFeatures([
    { name: "prefers-color-scheme", value: scheme },
    { name: "prefers-reduced-motion", value: motion ? "no-preference" : "reduce" },
  ]);

/** Waits until a function, run in the page, returns true. */
export const until = (page, condition, ...args) =>
  page.waitForFunction(condition, { timeout: TIMEOUT, polling: 30 }, ...args);

export const text = (page, selector) => page.$eval(selector, (it) => it.textContent);

/** The start position of a match to this number of points. */
export const startOf = (points) => `OLVPYRGB/8/8/8/8/8/8/bgrypvlo b - 0-0 ${points}`;

/** The fragment of a link to a position. */
export const linkTo = (line) => `#position=${encodeURIComponent(line)}`;

/** The current position or game in an export format, as the page shows it. */
export async function exported(page, form) {
  await page.waitForSelector('[data-do="export"]');
  await page.evaluate(() => document.querySelector('[data-do="export"]').click());
  await page.waitForSelector("#export[open]");
  await page.evaluate(
    (form) => document.querySelector(`#export input[value="${form}"]`).click(),
    form,
  );
  await page.waitForFunction(
    (form) => document.querySelector("#export-text").dataset.form === form,
    {},
    form,
  );
  const value = await page.$eval("#export-text", (it) => it.value);
  await page.keyboard.press("Escape");
  await page.waitForSelector("#export:not([open])");
  return value;
}

/** The output of an engine process for these protocol lines. */
export const engine = (...lines) =>
  execFileSync(program("dohyo"), ["engine"], { input: `${lines.join("\n")}\n`, encoding: "utf8" });

/** The result according to the engine: `none`, `p1win`, `p2win` or `draw`. */
export function resultOf(moves) {
  const command = moves.startsWith("position") ? moves : `position ${moves}`;
  return /^response (\w+)$/m.exec(engine(command, "query result"))[1];
}

/** The position after some moves according to the engine. */
export const positionOf = (command) => /^Fen: (.*)$/m.exec(engine(command, "d"))[1];

/** A pseudorandom generator that gives the same numbers in each run. */
export function seeded(seed) {
  let state = seed;
  return () => {
    state = (state * 1103515245 + 12345) % 2147483648;
    return state / 2147483648;
  };
}

// The real dohyo for the tests of a file, which is a process of its own: a server with a data folder of its own, and pages of it in a
// real browser.

import assert from "node:assert/strict";
import { spawn, execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { after, before } from "node:test";
import { fileURLToPath } from "node:url";
import puppeteer from "puppeteer-core";

const ROOT = fileURLToPath(new URL("../../..", import.meta.url));
/** Where the programs are, relative to the project. */
const BUILD = resolve(ROOT, process.env.OSHI_BUILD ?? "target/release");
export const program = (name) => join(BUILD, name);
export const VARIANTS = ["kamisado-simple", "kamisado-standard", "kamisado-long", "kamisado-marathon", "kamon"];
export const SIZES = { desktop: { width: 1280, height: 800 }, phone: { width: 390, height: 844, hasTouch: true, isMobile: true } };

/** A state that does not come is an error after this long; nothing is expected to take it. */
const PATIENCE = 60_000;

function freePort() {
  return new Promise((resolve) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });
}

/** What is to be done when the tests have ended, in whatever way. */
const last = [];
process.on("exit", () => last.forEach((deed) => deed()));

/** A folder that is gone after the tests. */
export function folder() {
  const made = mkdtempSync(join(tmpdir(), "dohyo-browser-"));
  last.push(() => rmSync(made, { recursive: true, force: true }));
  return made;
}

/** Starts a server and waits for its address. */
export async function serve({ data = folder(), port, more = [] } = {}) {
  const chosen = port ?? (await freePort());
  const child = spawn(program("dohyo"), ["--no-open", "--port", String(chosen), "--data", data, ...more], { stdio: ["ignore", "pipe", "inherit"] });
  const url = await new Promise((resolve, reject) => {
    let text = "";
    child.stdout.on("data", (chunk) => {
      text += chunk;
      const found = /http:\/\/\S+/.exec(text);
      if (found) resolve(found[0]);
    });
    child.on("error", reject);
    child.on("exit", (code) => reject(new Error(`dohyo ended with ${code} before it told its address: ${text}`)));
  });
  last.push(() => child.kill("SIGKILL"));
  return {
    url,
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

export const launch = () =>
  puppeteer.launch({
    executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
    // Chromium's own sandbox does not start as root, as in a container.
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

/**
 * Opens a page of a server; a warning of the browser, or a request to anybody else, fails the test. Without motion, unless it is asked
 * for. `hash` is what stands after # in the address.
 */
export async function open(t, { server = common, within = browser, size = "desktop", language = "en", hash = "", motion = false, offline = false } = {}) {
  const context = await within.createBrowserContext();
  const page = await context.newPage();
  const warnings = [];
  const isLost = (text) => offline && /WebSocket|ERR_CONNECTION_REFUSED/.test(text);
  page.on("console", (message) => ["error", "warn"].includes(message.type()) && !isLost(message.text()) && warnings.push(message.text()));
  page.on("pageerror", (error) => warnings.push(error.stack ?? error.message));
  page.on("request", (request) => new URL(request.url()).hostname === "127.0.0.1" || /^(data|blob):/.test(request.url()) || warnings.push(`asks for ${request.url()}`));
  t.after(async () => {
    await context.close();
    assert.deepEqual(warnings, []);
  });
  page.setDefaultTimeout(PATIENCE);
  await page.setViewport(SIZES[size]);
  await prefer(page, { motion });
  await page.setExtraHTTPHeaders({ "Accept-Language": language });
  await page.evaluateOnNewDocument((code) => Object.defineProperty(navigator, "languages", { get: () => [code] }), language);
  // The address with the token leads to the page and forgets what stands after #.
  await page.goto(server.url);
  if (hash) {
    // Leaves the page, which writes its own address as soon as it has begun.
    await page.goto("about:blank");
    await page.goto(`${new URL(server.url).origin}/${hash}`);
  }
  await page.waitForFunction(() => document.querySelector("dialog[open]") || [...document.querySelectorAll(".view")].some((it) => !it.hidden));
  return page;
}

/** What the person has told the system. */
export const prefer = (page, { scheme = "light", motion = false }) =>
  page.emulateMediaFeatures([
    { name: "prefers-color-scheme", value: scheme },
    { name: "prefers-reduced-motion", value: motion ? "no-preference" : "reduce" },
  ]);

/** Waits until a function of the page is true. */
export const until = (page, condition, ...args) => page.waitForFunction(condition, { timeout: PATIENCE, polling: 30 }, ...args);

export const text = (page, selector) => page.$eval(selector, (it) => it.textContent);

/** The first position of a match to this number of points. */
export const startOf = (points) => `OLVPYRGB/8/8/8/8/8/8/bgrypvlo b - 0-0 ${points}`;

/** The link that holds a position. */
export const linkTo = (line) => `#position=${encodeURIComponent(line)}`;

/** Exports the position that is shown, as the page offers it to be copied. */
export async function exported(page, form) {
  await page.waitForSelector('[data-do="export"]');
  await page.evaluate(() => document.querySelector('[data-do="export"]').click());
  await page.waitForSelector("#export[open]");
  await page.evaluate((form) => document.querySelector(`#export input[value="${form}"]`).click(), form);
  await page.waitForFunction((form) => document.querySelector("#export-text").dataset.form === form, {}, form);
  const value = await page.$eval("#export-text", (it) => it.value);
  await page.keyboard.press("Escape");
  await page.waitForSelector("#export:not([open])");
  return value;
}

/** What an engine process says to lines of the protocol. */
export const engine = (...lines) => execFileSync(program("dohyo"), ["engine"], { input: `${lines.join("\n")}\n`, encoding: "utf8" });

/** The result of a game as the engine knows it: `none`, `p1win`, `p2win`, `draw`. */
export function resultOf(moves) {
  const command = moves.startsWith("position") ? moves : `position ${moves}`;
  return /^response (\w+)$/m.exec(engine(command, "query result"))[1];
}

/** The position after some moves as the engine writes it. */
export const positionOf = (command) => /^Fen: (.*)$/m.exec(engine(command, "d"))[1];

/** Numbers that look random, and are the same at every run. */
export function seeded(seed) {
  let state = seed;
  return () => {
    state = (state * 1103515245 + 12345) % 2147483648;
    return state / 2147483648;
  };
}

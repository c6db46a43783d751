// Games survive a reload and the end of the server, the browser or an engine.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { test } from "node:test";
import { NATIVE, exported, folder, launch, open, serve, startOf, until } from "./harness.js";
import { INPUTS, goOn, moved, offers, openAt, playOne, ready } from "./inputs.js";

const first = (offered) => offered[0];
const address = (page) => page.evaluate(() => location.href);
const sheet = (page) =>
  page.$$eval("#sheet [data-node]", (moves) => moves.map((it) => it.textContent).join(" "));

/** Starts a game for two human players and plays some moves. */
async function startedGame(t, server, moves = 4) {
  const page = await openAt(t, startOf(3), { server, offline: true });
  for (let i = 0; i < moves; i++) await playOne(page, INPUTS.mouse, first);
  return page;
}

test("shows the game after a reload", async (t) => {
  const server = await serve();
  t.after(() => server.end());
  const page = await startedGame(t, server);
  const before = await exported(page, "moves");
  await page.reload();
  await ready(page);
  assert.equal(await exported(page, "moves"), before);
});

test("shows moves of another tab", async (t) => {
  const server = await serve();
  t.after(() => server.end());
  const page = await startedGame(t, server, 1);
  const other = await page.browserContext().newPage();
  await other.goto(await address(page));
  await ready(other);
  assert.equal(await sheet(other), await sheet(page));
  // A tab in the background does not draw.
  await page.bringToFront();
  await playOne(page, INPUTS.mouse, first);
  await until(page, () => document.querySelectorAll("#sheet [data-node]").length === 2);
  await other.bringToFront();
  await until(other, () => document.querySelectorAll("#sheet [data-node]").length === 2);
  assert.equal(await sheet(other), await sheet(page));
});

test("continues the game after the server was killed", NATIVE, async (t) => {
  const data = folder();
  const server = await serve({ data });
  const page = await startedGame(t, server);
  const before = await exported(page, "moves");
  await server.end("SIGKILL");
  await until(page, () => !document.querySelector("#offline").hidden);
  const again = await serve({ data, port: server.port });
  t.after(() => again.end());
  await until(page, () => document.querySelector("#offline").hidden);
  await ready(page);
  assert.equal(await exported(page, "moves"), before);
  await playOne(page, INPUTS.mouse, first);
  assert.notEqual(await exported(page, "moves"), before);
});

test("shows the game in a new browser", NATIVE, async (t) => {
  const server = await serve();
  t.after(() => server.end());
  const page = await startedGame(t, server);
  const [before, there] = [await exported(page, "moves"), await address(page)];
  await page.close();
  const other = await launch();
  const shown = await open(t, { within: other, server, hash: new URL(there).hash });
  t.after(() => other.close());
  await ready(shown);
  assert.equal(await exported(shown, "moves"), before);
});

test("continues the game with a message after an engine was killed", NATIVE, async (t) => {
  const server = await serve();
  t.after(() => server.end());
  const page = await openAt(t, startOf(3), { server });
  await goOn(page, INPUTS.mouse, {
    "who-0": "person",
    "who-1": "0",
    "level-1": "time",
    "ms-1": "10",
  });
  const offered = await ready(page);
  await INPUTS.mouse.place(page, offered.movable[0]);
  await INPUTS.mouse.place(page, (await offers(page)).targets[0]);
  await moved(page, offered.head);
  await page.waitForSelector(".thinks");
  const engines = () => {
    try {
      return execFileSync("pgrep", ["-P", String(server.pid)], { encoding: "utf8" })
        .trim()
        .split("\n")
        .map(Number);
    } catch {
      return [];
    }
  };
  const killed = engines();
  assert.ok(killed.length > 0, "an engine process thinks");
  for (const pid of killed) process.kill(pid, "SIGKILL");
  await page.waitForSelector(".toast");
  await until(page, () => document.querySelectorAll("#sheet [data-node]").length >= 2);
  await ready(page);
  assert.equal(await page.$("#status.over"), null);
});

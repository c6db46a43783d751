// A tournament on the page: while it is played, and after.

import assert from "node:assert/strict";
import { execFile, execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { exported, folder, open, program, serve, text, until } from "./dohyo.js";

const EVIL = "<img src=x onerror=document.title=1>";

const asked = (into, ...more) => ["match", "--engine", "cmd=builtin:greedy", "--engine", "cmd=builtin:random", `name=${EVIL}`, "--into", into, ...more];

test("a finished tournament: its standings, and every game to be replayed", async (t) => {
  const dir = join(folder(), "finished");
  execFileSync(program("basho"), asked(dir, "--rounds", "2"), { stdio: "ignore" });
  const server = await serve({ more: ["--watch", dir] });
  t.after(() => server.end());
  const page = await open(t, { server, hash: "#watch" });
  await until(page, () => document.querySelectorAll("#finished tbody tr").length === 4);
  const names = await page.$$eval("#standings bdi", (all) => all.map((it) => it.textContent).sort());
  assert.deepEqual(names, [EVIL, "greedy"].sort());
  assert.equal(await page.$("img[src=x]"), null);
  await page.evaluate(() => document.querySelector('#finished [data-watched="1"]').click());
  await until(page, () => !document.querySelector("#play").hidden && document.querySelectorAll("#sheet [data-node]").length > 0);
  const lines = readFileSync(join(dir, "games.jsonl"), "utf8").trim().split("\n").map((line) => JSON.parse(line));
  const first = lines.find(({ game }) => game === 1);
  const moves = [...first.opening.moves, ...first.moves.map(({ move }) => move)].join(" ");
  assert.ok((await exported(page, "moves")).trim().endsWith(moves));
});

test("a tournament that is being played: its games on live boards", async (t) => {
  const dir = join(folder(), "live");
  // Long enough to be still played when the page is there.
  const thinker = ["--engine", `cmd=${program("dohyo")}`, "args=engine", "name=thinker", "movetime=100"];
  const run = execFile(program("basho"), asked(dir, ...thinker, "--rounds", "500", "--concurrency", "1", "--live"));
  t.after(() => run.kill("SIGKILL"));
  await new Promise((resolve) => {
    const look = setInterval(() => {
      try {
        if (readFileSync(join(dir, "games.jsonl"), "utf8").includes("\n")) resolve(clearInterval(look));
      } catch {
        // Not yet.
      }
    }, 20);
  });
  const server = await serve({ more: ["--watch", dir] });
  t.after(() => server.end());
  const page = await open(t, { server, hash: "#watch" });
  await page.waitForSelector("#watch-live [data-piece]");
  const played = () => text(page, "#watch-progress");
  const before = await played();
  await until(page, (before) => document.querySelector("#watch-progress").textContent !== before, before);
});

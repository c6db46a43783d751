// The tournament view, during a tournament and afterwards.

import assert from "node:assert/strict";
import { execFile, execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { NATIVE, exported, folder, open, program, serve, text, until } from "./harness.js";

const EVIL = "<img src=x onerror=document.title=1>";

const matchArguments = (into, ...more) => [
  "match",
  "--engine",
  "cmd=builtin:greedy",
  "--engine",
  "cmd=builtin:random",
  `name=${EVIL}`,
  "--into",
  into,
  ...more,
];

test("shows standings and games of a finished tournament", NATIVE, async (t) => {
  const dir = join(folder(), "finished");
  execFileSync(program("basho"), matchArguments(dir, "--rounds", "2"), { stdio: "ignore" });
  const server = await serve({ more: ["--watch", dir] });
  t.after(() => server.end());
  const page = await open(t, { server, hash: "#watch" });
  await until(page, () => document.querySelectorAll("#finished tbody tr").length === 4);
  const names = await page.$$eval("#standings bdi", (all) =>
    all.map((it) => it.textContent).sort(),
  );
  assert.deepEqual(names, [EVIL, "greedy"].sort());
  assert.equal(await page.$("img[src=x]"), null);
  await page.evaluate(() => document.querySelector('#finished [data-watched="1"]').click());
  await until(
    page,
    () =>
      !document.querySelector("#play").hidden &&
      document.querySelectorAll("#sheet [data-node]").length > 0,
  );
  const lines = readFileSync(join(dir, "games.jsonl"), "utf8")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
  const first = lines.find(({ game }) => game === 1);
  const moves = [...first.opening.moves, ...first.moves.map(({ move }) => move)].join(" ");
  assert.ok((await exported(page, "moves")).trim().endsWith(moves));
});

test("shows live boards of a running tournament", NATIVE, async (t) => {
  const dir = join(folder(), "live");
  // Enough games to outlast the start of the page.
  const thinker = [
    "--engine",
    `cmd=${program("dohyo")}`,
    "args=engine",
    "name=thinker",
    "movetime=100",
  ];
  const run = execFile(
    program("basho"),
    matchArguments(dir, ...thinker, "--rounds", "500", "--concurrency", "1", "--live"),
  );
  t.after(() => run.kill("SIGKILL"));
  await new Promise((resolve) => {
    const look = setInterval(() => {
      try {
        if (readFileSync(join(dir, "games.jsonl"), "utf8").includes("\n"))
          resolve(clearInterval(look));
      } catch {
        // The file does not exist yet.
      }
    }, 20);
  });
  const server = await serve({ more: ["--watch", dir] });
  t.after(() => server.end());
  const page = await open(t, { server, hash: "#watch" });
  await page.waitForSelector("#watch-live [data-piece]");
  const played = () => text(page, "#watch-progress");
  const before = await played();
  await until(
    page,
    (before) => document.querySelector("#watch-progress").textContent !== before,
    before,
  );
});

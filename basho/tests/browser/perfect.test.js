// The page that plays the simple game from a certificate: its strategy against random play, and itself in a real browser.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { before, test } from "node:test";
import { fileURLToPath } from "node:url";
import puppeteer from "puppeteer-core";
import { Round } from "../../examples/perfect/rules.js";
import { answer, parse } from "../../examples/perfect/strategy.js";
import { folder } from "./runs.js";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
// `cargo test` builds the examples.
const SOLVE = process.env.SOLVE ?? join(ROOT, "target/debug/examples/solve");

before(() => {
  for (const file of ["simple.cert", "simple.txt"]) {
    execFileSync(SOLVE, ["--openings", "--certificate", join(folder, file)], { stdio: "ignore" });
  }
});

/** Numbers from 0 to 1 that look drawn at random, the same each time (Park and Miller 1988). */
function numbers(seed) {
  return () => (seed = (seed * 48271) % 2147483647) / 2147483647;
}

const count = (round, plies) => (plies === 0 ? 1 : round.moves().reduce((sum, { next }) => sum + count(next, plies - 1), 0));

test("the page's rules count as many lines of the simple game as are published", () => {
  assert.deepEqual([1, 2, 3, 4].map((plies) => count(Round.start(), plies)), [102, 1150, 11182, 105020]);
});

test("the strategy wins as Black, and as White against all openings but the 16 that win", () => {
  const certificate = parse(readFileSync(join(folder, "simple.txt"), "utf8"));
  const random = numbers(1);
  const any = (moves) => moves[Math.floor(random() * moves.length)];
  const winner = (round, player) => {
    while (!round.winner) round = (round.turn === player ? answer(certificate, round) : any(round.moves())).next;
    return round.winner;
  };
  const losing = Round.start().moves().filter(({ next }) => certificate.claims.get(next.key()) === "w");
  assert.equal(losing.length, 86);
  for (let game = 0; game < 10; game++) {
    assert.equal(winner(Round.start(), "b"), "b");
    for (const { next } of losing) assert.equal(winner(next, "w"), "w");
  }
});

test("a game on the page is won by the page", async (t) => {
  const type = { ".html": "text/html", ".js": "text/javascript" };
  const server = createServer(({ url }, response) => {
    const name = url.slice(1);
    const known = ["index.html", "perfect.js", "rules.js", "strategy.js", "simple.cert"].includes(name);
    response.writeHead(known ? 200 : 404, { "content-type": type[/\.\w+$/.exec(name)?.[0]] ?? "application/octet-stream" });
    response.end(known ? readFileSync(join(name === "simple.cert" ? folder : join(ROOT, "examples/perfect"), name)) : "");
  });
  await new Promise((ready) => server.listen(0, "127.0.0.1", ready));
  const browser = await puppeteer.launch({ executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", args: ["--no-sandbox"] });
  t.after(() => Promise.all([browser.close(), server.close()]));
  const page = await browser.newPage();
  const errors = [];
  page.on("pageerror", (error) => errors.push(error.message));
  await page.goto(`http://127.0.0.1:${server.address().port}/index.html`);
  await page.waitForSelector("#board button");
  const said = () => page.$eval("#said", (element) => element.textContent);
  // Whoever plays White always takes the first square on offer.
  while (await page.$("#board button.target")) await page.click("#board button.target");
  assert.match(await said(), /^Black wins\. a1a2 /);
  await page.click("#black");
  assert.match(await said(), /^Choose any tower/);
  assert.deepEqual(errors, []);
});

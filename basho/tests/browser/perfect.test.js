// The page that plays the simple game from a certificate: its strategy, and the page in a real
// browser.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { before, test } from "node:test";
import puppeteer from "puppeteer-core";
import { Round } from "../../../tools/solve/page/rules.js";
import { answer, parse } from "../../../tools/solve/page/strategy.js";
import { BUILD, ROOT, folder } from "./tournaments.js";

before(() => {
  for (const file of ["simple.cert", "simple.txt"]) {
    const words = ["--openings", "--certificate", join(folder, file)];
    execFileSync(join(BUILD, "oshi-solve"), words, { stdio: "ignore" });
  }
});

/** Pseudorandom numbers from 0 to 1, the same in each run (Park and Miller 1988). */
function numbers(seed) {
  return () => (seed = (seed * 48271) % 2147483647) / 2147483647;
}

const count = (round, plies) =>
  plies === 0 ? 1 : round.moves().reduce((sum, { next }) => sum + count(next, plies - 1), 0);

test("perft of the page's rules matches the published counts", () => {
  assert.deepEqual(
    [1, 2, 3, 4].map((plies) => count(Round.start(), plies)),
    [102, 1150, 11182, 105020],
  );
});

test("strategy wins every opening that the certificate claims", () => {
  const certificate = parse(readFileSync(join(folder, "simple.txt"), "utf8"));
  const random = numbers(1);
  const any = (moves) => moves[Math.floor(random() * moves.length)];
  const winner = (round, player) => {
    while (!round.winner)
      round = (round.turn === player ? answer(certificate, round) : any(round.moves())).next;
    return round.winner;
  };
  const losing = Round.start()
    .moves()
    .filter(({ next }) => certificate.claims.get(next.key()) === "w");
  assert.equal(losing.length, 86);
  for (let game = 0; game < 10; game++) {
    assert.equal(winner(Round.start(), "b"), "b");
    for (const { next } of losing) assert.equal(winner(next, "w"), "w");
  }
});

test("the page wins a game in the browser", async (t) => {
  const type = { ".html": "text/html", ".js": "text/javascript" };
  const server = createServer(({ url }, response) => {
    const name = url.slice(1);
    const known = ["index.html", "perfect.js", "rules.js", "strategy.js", "simple.cert"].includes(
      name,
    );
    response.writeHead(known ? 200 : 404, {
      "content-type": type[/\.\w+$/.exec(name)?.[0]] ?? "application/octet-stream",
    });
    response.end(
      known
        ? readFileSync(join(name === "simple.cert" ? folder : join(ROOT, "tools/solve/page"), name))
        : "",
    );
  });
  await new Promise((ready) => server.listen(0, "127.0.0.1", ready));
  const browser = await puppeteer.launch({
    executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
    args: ["--no-sandbox"],
  });
  t.after(() => Promise.all([browser.close(), server.close()]));
  const page = await browser.newPage();
  const errors = [];
  page.on("pageerror", (error) => errors.push(error.message));
  await page.goto(`http://127.0.0.1:${server.address().port}/index.html`);
  await page.waitForSelector("#board button");
  const message = () => page.$eval("#message", (element) => element.textContent);
  // White always plays to the first target square.
  while (await page.$("#board button.target")) await page.click("#board button.target");
  assert.match(await message(), /^Black wins\. a1a2 /);
  await page.click("#black");
  assert.match(await message(), /^Choose any tower/);
  assert.deepEqual(errors, []);
});

// The report page of a tournament, in a real browser.

import assert from "node:assert/strict";
import { existsSync, mkdirSync, readFileSync, statSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import puppeteer from "puppeteer-core";
import { VARIANTS, basho, folder, picture, play, playBuiltIn, records } from "./tournaments.js";

const SIZES = { desktop: { width: 1280, height: 900 }, phone: { width: 390, height: 844 } };
const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const screenshots = fileURLToPath(new URL("../../../target/browser", import.meta.url));

let browser;

before(async () => {
  mkdirSync(screenshots, { recursive: true });
  browser = await puppeteer.launch({
    executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
    // Chromium's sandbox does not start as root, as in a container.
    args: ["--no-sandbox"],
  });
});
after(() => browser?.close());

/** Opens a page. Browser warnings and network requests fail the test. */
async function open(t, url, { size = "desktop" } = {}) {
  const page = await browser.newPage();
  const warnings = [];
  page.on(
    "console",
    (message) => ["error", "warn"].includes(message.type()) && warnings.push(message.text()),
  );
  page.on("pageerror", (error) => warnings.push(error.message));
  page.on(
    "request",
    (request) =>
      /^(file|data):/.test(request.url()) || warnings.push(`unexpected request: ${request.url()}`),
  );
  t.after(async () => {
    await page.close();
    assert.deepEqual(warnings, []);
  });
  await page.setViewport(SIZES[size]);
  await emulateMedia(page, "light");
  await page.goto(url);
  await page.waitForSelector("#viewer:not([hidden])");
  return page;
}

/** Emulates the user's colour scheme. */
const emulateMedia = (page, scheme) =>
  page.emulateMediaFeatures([{ name: "prefers-color-scheme", value: scheme }]);

/** The transform and level of every visible piece and mark, on the shown board or in a picture. */
const boardOf = (page, svg) =>
  page.evaluate((svg) => {
    const root = svg
      ? new DOMParser().parseFromString(svg, "image/svg+xml")
      : document.querySelector(".stage:not([hidden])");
    const isSeen = (element) => element.getAttribute("display") !== "none";
    const seen = [...root.querySelectorAll("[data-piece], [data-mark]")].filter(
      (element) =>
        isSeen(element) &&
        [...element.children].some((child) => child.tagName !== "title" && isSeen(child)),
    );
    const look = (element) =>
      [...element.querySelectorAll("[data-level]")].filter(isSeen).map((it) => it.dataset.level);
    const entry = (element) => [
      element.dataset.mark ?? element.dataset.piece,
      [element.getAttribute("transform"), ...look(element)].join(" "),
    ];
    return Object.fromEntries(seen.map(entry));
  }, svg);

const shownPly = (page) => page.$eval("#ply", (slider) => Number(slider.value));

for (const variant of VARIANTS) {
  test(`${variant}: boards of all games match the pictures of basho`, async (t) => {
    const run = play(variant, 3, "--variant", variant);
    const page = await open(t, run.url);
    const games = records(run);
    assert.equal(games.length, 18);
    for (const record of games) {
      await page.click(`button[aria-label="Show game ${record.game}"]`);
      const plies = record.opening.moves.length + record.moves.length;
      await page.click("#last");
      assert.equal(await shownPly(page), plies);
      assert.deepEqual(
        await boardOf(page),
        await boardOf(page, picture(record, variant, plies)),
        `game ${record.game}`,
      );
    }
    const [first] = games;
    await page.click('button[aria-label="Show game 1"]');
    for (let ply = 1; ply <= 5; ply++) {
      await page.keyboard.press("ArrowRight");
      assert.deepEqual(
        await boardOf(page),
        await boardOf(page, picture(first, variant, ply)),
        `ply ${ply}`,
      );
    }
    await page.keyboard.press("ArrowLeft");
    assert.equal(await shownPly(page), 4);
    assert.deepEqual(await boardOf(page), await boardOf(page, picture(first, variant, 4)));
    await page.click('#sheet [data-ply="2"]');
    assert.equal(await shownPly(page), 2);
  });
}

test("opens the game and ply of the address", async (t) => {
  const run = play("address", 2);
  const page = await open(t, `${run.url}#game=3&ply=7`);
  assert.equal(await shownPly(page), 7);
  assert.match(await page.$eval("#players", (it) => it.textContent), /^Game 3:/);
  const isInView = () =>
    page.$eval(
      "#viewer",
      (it) =>
        it.getBoundingClientRect().top >= 0 && it.getBoundingClientRect().top < innerHeight / 2,
    );
  assert.ok(await isInView(), "the page scrolls to the board");
  const [, , , fourth] = records(run);
  const plies = fourth.opening.moves.length + fourth.moves.length;
  const goTo = (hash) =>
    page.evaluate(async (hash) => {
      const changed = new Promise((resolve) =>
        addEventListener("hashchange", resolve, { once: true }),
      );
      location.hash = hash;
      await changed;
    }, hash);
  await goTo("#game=2&ply=2.5");
  assert.equal(await shownPly(page), 2);
  assert.match(await page.$eval("#status", (it) => it.textContent), /^Ply 2 of/);
  for (const [hash, ply] of [
    ["#game=1&ply=-3", 0],
    ["#game=1&ply=x", 0],
    ["#game=4&ply=1e9", plies],
  ]) {
    await goTo(hash);
    assert.equal(await shownPly(page), ply, hash);
  }
  for (const hash of ["#game=999&ply=1", "#standings", "#game=%ff"]) {
    await goTo(hash);
    assert.match(await page.$eval("#players", (it) => it.textContent), /^Game 4:/, hash);
  }
});

test("graph shows reported chances and opens the clicked ply", async (t) => {
  const run = play("graph", 2);
  const page = await open(t, run.url);
  // Games 1 and 2 are between built-in players, which report no scores.
  assert.equal(await page.$eval("#graph", (it) => it.hidden), true);
  const record = records(run).find((game) => game.black.name === "oshi");
  await page.click(`button[aria-label="Show game ${record.game}"]`);
  const plies = record.opening.moves.length + record.moves.length;
  const points = await page.$eval("#plot .reported-0", (line) => line.points.numberOfItems);
  assert.equal(points, record.moves.filter((played) => played.score).length);
  assert.equal(await page.$$eval("#legend li", (items) => items.length), 1);
  const { x, y, width, height } = await (await page.$("#plot svg")).boundingBox();
  await page.mouse.click(x + width - 12, y + height / 2);
  assert.equal(await shownPly(page), plies);
  await page.mouse.click(x + 51, y + height / 2);
  assert.equal(await shownPly(page), 0);
  // Chances are always Black's: check a game with oshi as White too.
  const other = records(run).find((game) => game.white.name === "oshi");
  await page.click(`button[aria-label="Show game ${other.game}"]`);
  const index = other.moves.findIndex((played) => played.score?.startsWith("cp "));
  const ply = other.opening.moves.length + index + 1;
  const chance = 1 / (1 + 10 ** (Number(other.moves[index].score.slice(3)) / 400));
  const label = await page.$eval(`#sheet [data-ply="${ply}"] small`, (it) => it.textContent);
  assert.match(label, new RegExp(`^${Math.round(100 * chance)} %`));
});

test("cross table and openings link to their games", async (t) => {
  const run = play("links", 3);
  const page = await open(t, run.url);
  const listed = () =>
    page.$$eval("#games-rows button", (buttons) =>
      buttons.map((button) => Number(button.textContent)),
    );
  const games = records(run);
  await page.click('.cross a[href="#engine=2&against=1"]');
  await page.waitForFunction(() => document.getElementById("against").value === "1");
  const pairing = games.filter(
    (game) => [game.black.name, game.white.name].sort().join() === "greedy,oshi",
  );
  assert.deepEqual(
    await listed(),
    pairing.map((game) => game.game),
  );
  await page.click('#openings-rows a[href="#opening=2"]');
  await page.waitForFunction(() => document.getElementById("opening").value === "2");
  assert.deepEqual(
    await listed(),
    games.filter((game) => game.round === 2).map((game) => game.game),
    "each round has one opening",
  );
  assert.match(
    await page.$eval("#openings-summary", (it) => it.textContent),
    /^3 different; of 3 /,
  );
});

test("saves the original records and sheets", async (t) => {
  const run = play("saved", 2);
  const page = await open(t, `${run.url}#kind=1-0`);
  const client = await browser.target().createCDPSession();
  await client.send("Browser.setDownloadBehavior", { behavior: "allow", downloadPath: folder });
  const saved = async (button, name) => {
    const file = join(folder, name);
    await page.click(button);
    while (!existsSync(file)) await new Promise((resolve) => setTimeout(resolve, 50));
    return file;
  };
  const lines = readFileSync(await saved("#save-records", "kamisado-standard-games.jsonl"), "utf8")
    .trim()
    .split("\n");
  const recorded = readFileSync(join(run.dir, "games.jsonl"), "utf8").trim().split("\n");
  const wanted = recorded.filter((line) => JSON.parse(line).result === "1-0");
  const inOrder = (lines) =>
    lines.toSorted((one, other) => JSON.parse(one).game - JSON.parse(other).game);
  assert.deepEqual(lines, inOrder(wanted));
  const file = await saved("#save-sheets", "kamisado-standard-sheets.txt");
  const moves = basho("sheet", "--parse", file).trim().split("\n");
  assert.deepEqual(moves.length, wanted.length);
});

test("heat map counts every won round", async (t) => {
  for (const variant of ["kamisado-standard", "kamon"]) {
    const run = play(`map-${variant}`, 3, "--variant", variant);
    const page = await open(t, run.url);
    const counted = () =>
      page.$$eval("#place-map .spot text", (texts) =>
        texts.reduce((sum, it) => sum + Number(it.textContent), 0),
      );
    const all = await page.$$eval(".rounds", ([table]) =>
      [...table.tBodies[0].rows].reduce((sum, row) => sum + Number(row.cells[1].textContent), 0),
    );
    const drawn = records(run).filter((game) => game.result === "1/2-1/2").length;
    assert.equal(await counted(), all - drawn);
    await page.select("#place-event", "0");
    const moves = records(run).reduce(
      (sum, game) =>
        sum +
        game.moves.filter((played) => /\d/.test(played.move) && played.move !== "0000").length,
      0,
    );
    assert.equal(await counted(), moves);
  }
});

test("filters the game list by engine and result", async (t) => {
  const run = play("filter", 6);
  const page = await open(t, run.url);
  const expected = records(run).filter(
    (game) => game.result === "1-0" && [game.black.name, game.white.name].includes("greedy"),
  );
  await page.select("#engine", "1");
  await page.select("#kind", "1-0");
  const shown = await page.$$eval("#games-rows button", (buttons) =>
    buttons.map((button) => Number(button.textContent)),
  );
  assert.deepEqual(shown, expected.map((game) => game.game).slice(0, 25));
});

test("names of engines never become markup", async (t) => {
  const name = '</script><img src=x onerror="document.title=1">\u202egpj.exe';
  const run = play("names", 1, "--engine", "cmd=builtin:random", `name=${name}`);
  const page = await open(t, run.url);
  assert.equal(await page.title(), "Kamisado (standard) tournament");
  assert.equal(await page.$("img"), null);
  const shown = await page.$$eval("#standings bdi", (names) => names.map((it) => it.textContent));
  // Characters that reverse the text direction are escaped.
  assert.ok(shown.includes(name.replace("\u202e", "\\u202e")), shown.join());
});

for (const size of Object.keys(SIZES)) {
  for (const variant of [...VARIANTS, "sixteen"]) {
    test(`${variant}, ${size}: accessible and within the screen`, async (t) => {
      const run =
        variant === "sixteen"
          ? playBuiltIn(
              variant,
              1,
              ...Array.from({ length: 14 }, () => ["--engine", "cmd=builtin:greedy"]).flat(),
            )
          : play(variant, 3, "--variant", variant);
      const page = await open(t, run.url, { size });
      for (let i = 0; i < 9; i++) await page.keyboard.press("ArrowRight");
      // The page's content policy blocks injected scripts; the debugger is exempt.
      await page.evaluate(axe);
      for (const scheme of ["light", "dark"]) {
        await emulateMedia(page, scheme);
        const [inner, outer] = await page.evaluate(() => [
          document.documentElement.scrollWidth,
          innerWidth,
        ]);
        assert.ok(inner <= outer, `${scheme}: the page is ${inner} wide on a screen of ${outer}`);
        const cut = await page.$$eval(".scroll", (boxes) =>
          boxes
            .filter((box) => !box.querySelector(".cross") && box.scrollWidth > box.clientWidth)
            .map((box) => box.ariaLabel),
        );
        assert.deepEqual(cut, [], `${scheme}: tables that do not fit`);
        await page.screenshot({
          path: join(screenshots, `${variant}-${size}-${scheme}.png`),
          fullPage: true,
        });
        const { violations } = await page.evaluate(() => axe.run());
        assert.deepEqual(
          violations.map((found) => [found.id, found.nodes.map((node) => node.html)]),
          [],
          scheme,
        );
      }
    });
  }
}

test("page of ten thousand games is smaller than 15 MB", async (t) => {
  const run = playBuiltIn("large", 5000, "--variant", "kamisado-simple");
  const size = statSync(run.file).size;
  assert.ok(size < 15e6, `${size} bytes`);
  // Times depend on the machine: report them without a limit.
  const [opened, shown] = [[], []];
  const best = (times) => Math.min(...times).toFixed(0);
  for (let attempt = 0; attempt < 3; attempt++) {
    const start = performance.now();
    const page = await open(t, run.url);
    opened.push(performance.now() - start);
    shown.push(
      await page.evaluate(async () => {
        const start = performance.now();
        location.hash = "#game=7654&ply=3";
        while (!document.getElementById("players").textContent.startsWith("Game 7654:"))
          await new Promise((resolve) => setTimeout(resolve));
        return performance.now() - start;
      }),
    );
  }
  t.diagnostic(
    `${(size / 1e6).toFixed(2)} MB, page opened in ${best(opened)} ms, game in ${best(shown)} ms`,
  );
});

test("changes the theme", async (t) => {
  const run = play("theme", 1);
  const page = await open(t, run.url);
  const ground = () => page.$eval("body", (body) => getComputedStyle(body).backgroundColor);
  const light = await ground();
  await page.click("#theme");
  assert.equal(await ground(), light);
  await page.click("#theme");
  assert.notEqual(await ground(), light);
});

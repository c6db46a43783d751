// Imported names and texts never become markup, and invalid input is reported.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { exported, folder, linkTo, open, program, startOf, text, until } from "./harness.js";
import { INPUTS, openAt, playOne, ready } from "./inputs.js";

const EVIL = '</script><img src=x onerror="document.title=1">';

async function importText(page, source) {
  await page.evaluate(() => document.querySelector('[data-view="games"]').click());
  await page.$eval(
    "#import-text",
    (it, source) => {
      it.value = source;
    },
    source,
  );
  await page.click("#import button.main");
}

test("imported names never become markup", async (t) => {
  const page = await openAt(t, startOf(3));
  await playOne(page, INPUTS.mouse, (offered) => offered[0]);
  const record = JSON.parse((await exported(page, "record")).trim().split("\n")[0]);
  record.black.name = EVIL;
  record.white.name = `\u202egpj.exe${EVIL}`;
  await importText(page, JSON.stringify(record));
  await until(page, () => !document.querySelector("#play").hidden);
  await until(
    page,
    (name) => [...document.querySelectorAll(".player bdi")].some((it) => it.textContent === name),
    EVIL,
  );
  assert.equal(await page.$("img[src=x]"), null);
  assert.notEqual(await page.title(), "1");
  await page.keyboard.press("g");
  const listed = await page.$$eval("#games-list bdi", (names) => names.map((it) => it.textContent));
  assert.ok(listed.includes(EVIL));
  assert.equal(await page.$("img[src=x]"), null);
});

test("reports an unreadable text and keeps the game on the board", async (t) => {
  const page = await openAt(t, startOf(3));
  await playOne(page, INPUTS.mouse, (offered) => offered[0]);
  const before = await exported(page, "moves");
  await importText(page, `{"format": "${EVIL}"`);
  await page.waitForSelector("#import-report .wrong");
  assert.equal(await page.$("img[src=x]"), null);
  await page.keyboard.press("Escape");
  await page.evaluate(() => document.querySelector('[data-view="play"]').click());
  assert.equal(await exported(page, "moves"), before);
});

test("reports an invalid position in the address", async (t) => {
  const page = await open(t, { hash: linkTo(`nonsense ${EVIL}`) });
  await page.waitForSelector(".toast.error");
  assert.match(await text(page, ".toast.error"), /expected/);
  assert.equal(await page.$("img[src=x]"), null);
});

test("imports its own exports as the same game", async (t) => {
  const page = await openAt(t, startOf(3));
  for (let i = 0; i < 6; i++) await playOne(page, INPUTS.mouse, (offered) => offered.at(-1));
  const moves = await exported(page, "moves");
  for (const form of ["sheet", "symbols", "record", "moves"]) {
    const out = await exported(page, form);
    const here = await page.evaluate(() => location.hash);
    await importText(page, out);
    await until(
      page,
      (here) => !document.querySelector("#play").hidden && location.hash !== here,
      here,
    );
    await ready(page);
    assert.equal(await exported(page, "moves"), moves, form);
  }
});

test("shows the last move of an imported long game", async (t) => {
  const dir = join(folder(), "long");
  execFileSync(
    program("basho"),
    [
      "match",
      "--engine",
      "cmd=builtin:greedy",
      "--engine",
      "cmd=builtin:random",
      "--variant",
      "kamisado-marathon",
      "--rounds",
      "1",
      "--into",
      dir,
    ],
    { stdio: "ignore" },
  );
  const page = await open(t, { hash: "#games" });
  await importText(page, readFileSync(join(dir, "games.jsonl"), "utf8").split("\n")[0]);
  await until(page, () => {
    const [move, sheet] = ["#sheet [aria-current]", "#sheet"].map((it) =>
      document.querySelector(it)?.getBoundingClientRect(),
    );
    const isLast =
      document.querySelector("#sheet [aria-current]") ===
      [...document.querySelectorAll("#sheet [data-node]")].at(-1);
    return (
      isLast &&
      !document.querySelector("#review").hidden &&
      move.top >= sheet.top &&
      move.bottom <= sheet.bottom
    );
  });
});

test("refuses too large texts and limits the number of shown errors", async (t) => {
  const page = await open(t, { hash: "#games" });
  const read = async (line, times) => {
    await page.$eval(
      "#import-text",
      (it, line, times) => {
        it.value = line.repeat(times);
      },
      line,
      times,
    );
    await page.$eval("#import", (it) => it.requestSubmit());
  };
  await read("x", 17 * 2 ** 20);
  await until(page, () =>
    /at most 16 MiB/.test(document.querySelector("#import-report").textContent),
  );
  await page.$eval("#import-text", (it) => {
    it.value = "";
  });
  await read("position fen nothing\n", 30);
  await until(page, () =>
    /^and 10 more$/.test(document.querySelector("#import-report").lastElementChild.textContent),
  );
});

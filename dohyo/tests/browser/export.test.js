// Export and import of whole games, and the game list in several tabs.

import assert from "node:assert/strict";
import { test } from "node:test";
import { exported, linkTo, open, serve, startOf, text, until } from "./harness.js";
import { INPUTS, moved, openAt, playOne, ready } from "./inputs.js";

const LABELS = {
  en: "Complete game",
  fr: "Partie complète",
  de: "Vollständige Partie",
  ro: "Partidă completă",
};
const node = (page) =>
  page.$eval("#sheet [aria-current]", (it) => it.dataset.node).catch(() => "0");

const FORMS = ["sheet", "symbols", "record", "moves"];

/** Plays four moves, exports each format, and steps back three moves. */
async function backFromTheEnd(t) {
  const page = await openAt(t, startOf(3));
  for (let i = 0; i < 4; i++) await playOne(page, INPUTS.mouse, (offered) => offered[0]);
  const played = {};
  for (const form of FORMS) played[form] = await exported(page, form);
  for (let i = 0; i < 3; i++) {
    const here = await node(page);
    await page.keyboard.press("ArrowLeft");
    await moved(page, here);
  }
  return { page, played };
}

test("exports the whole game from an earlier position", async (t) => {
  const { page, played } = await backFromTheEnd(t);
  for (const form of FORMS) assert.equal(await exported(page, form), played[form], form);
  assert.equal(JSON.parse(await exported(page, "record")).moves.length, 4);
  assert.equal(JSON.parse(await exported(page, "complete")).nodes.length, 4);
});

test("imports a complete game with its variation", async (t) => {
  const { page, played } = await backFromTheEnd(t);
  await playOne(page, INPUTS.mouse, (offered) => offered.at(-1));
  assert.notEqual(await exported(page, "moves"), played.moves, "the variation is on the board");
  const before = JSON.parse(await exported(page, "complete"));
  assert.equal(before.nodes.length, 5);
  const here = await page.evaluate(() => location.hash);
  await page.evaluate(() => document.querySelector('[data-view="games"]').click());
  await page.$eval(
    "#import-text",
    (it, source) => {
      it.value = source;
    },
    JSON.stringify(before),
  );
  await page.click("#import button.main");
  await until(
    page,
    (here) => !document.querySelector("#play").hidden && location.hash !== here,
    here,
  );
  await ready(page);
  const after = JSON.parse(await exported(page, "complete"));
  const { id: _before, spent: _was, ...game } = before;
  const { id: _after, spent: _is, ...again } = after;
  assert.deepEqual(again, game);
});

test("updates the game list after changes in another tab", async (t) => {
  const server = await serve();
  t.after(() => server.end());
  const page = await openAt(t, startOf(3), { server });
  const other = await open(t, { server, hash: "#games" });
  const listed = (page) =>
    page.$$eval("#games-list [data-open]", (all) => all.map((it) => it.dataset.open));
  const [first] = await listed(other);
  await page.evaluate(() => document.querySelector('[data-view="games"]').click());
  await page.$eval("#import-text", (it) => {
    it.value = "a1a5 d8d4";
  });
  await page.click("#import button.main");
  await until(other, () => document.querySelectorAll("#games-list [data-open]").length === 2);
  assert.equal((await listed(other))[1], first, "the new game comes first");
  await page.evaluate((first) => {
    document.querySelector('[data-view="games"]').click();
    document.querySelector(`[data-remove="${first}"]`).click();
  }, first);
  await page.waitForSelector("dialog[open] button.main");
  await page.click("dialog[open] button.main");
  await until(other, () => document.querySelectorAll("#games-list [data-open]").length === 1);
  assert.notEqual((await listed(other))[0], first);
});

for (const [language, label] of Object.entries(LABELS)) {
  test(`${language}: names the complete format`, async (t) => {
    const page = await open(t, { language, hash: linkTo(startOf(3)) });
    await until(page, () => document.querySelector('[data-do="export"]')?.disabled === false);
    await page.evaluate(() => document.querySelector('[data-do="export"]').click());
    await page.waitForSelector("#export[open]");
    assert.equal(await text(page, '#export label:has([value="complete"]) span'), label);
  });
}

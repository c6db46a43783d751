// The page's addresses, and the browser's Back and Forward buttons.

import assert from "node:assert/strict";
import { test } from "node:test";
import { linkTo, open, startOf, until } from "./harness.js";
import { openAt } from "./inputs.js";

const shows = (page, view, hash) =>
  until(
    page,
    (view, hash) => !document.querySelector(`#${view}`).hidden && location.hash === hash,
    view,
    hash,
  );
/** The address of the current game, once it differs from `before`. */
async function game(page, before = "") {
  await until(
    page,
    (before) => location.hash.startsWith("#game=") && location.hash !== before,
    before,
  );
  return page.evaluate(() => location.hash);
}
const ask = (page, hash) =>
  page.evaluate((hash) => {
    location.hash = hash;
  }, hash);

test("Back and Forward lead through shown games and views", async (t) => {
  const page = await openAt(t, startOf(1));
  const first = await game(page);
  await page.keyboard.press("g");
  await shows(page, "games", "#games");
  await ask(page, linkTo(startOf(3)));
  const second = await game(page, first);
  await page.click('[data-view="editor"]');
  await shows(page, "editor", "#editor");
  // Back must not lead to the link of the position, which would open another game.
  for (const [view, hash] of [
    ["play", second],
    ["games", "#games"],
    ["play", first],
  ]) {
    await page.goBack();
    await shows(page, view, hash);
  }
  for (const [view, hash] of [
    ["games", "#games"],
    ["play", second],
    ["editor", "#editor"],
  ]) {
    await page.goForward();
    await shows(page, view, hash);
  }
});

test("reports an unknown address and restores the current one", async (t) => {
  const missing = "#game=0123456789abcdef";
  const page = await open(t, { hash: missing });
  await page.waitForSelector(".toast.error");
  await shows(page, "games", "#games");
  await page.click(".toast.error button");
  await ask(page, linkTo(startOf(1)));
  const there = await game(page);
  await ask(page, missing);
  await page.waitForSelector(".toast.error");
  assert.match(
    await page.$eval(".toast.error", (it) => it.textContent),
    /no game `0123456789abcdef`/,
  );
  for (const hash of ["#watch", "#nowhere"]) {
    await ask(page, hash);
    await shows(page, "play", there);
  }
});

// Whole games of every variant against the weakest engine: by mouse, by touch, by keyboard alone.

import assert from "node:assert/strict";
import { test } from "node:test";
import { VARIANTS, exported, open, resultOf, seeded, text } from "./dohyo.js";
import { HANDS, playOne } from "./hands.js";

const SAID = { p1win: /^Black has won/, p2win: /^White has won/, draw: /^Draw/ };

for (const variant of VARIANTS) {
  for (const [name, hand] of Object.entries(HANDS)) {
    test(`${variant}, ${name}: a whole game ends as the engine says`, async (t) => {
      const page = await open(t, { size: hand.size });
      await newGame(page, hand, variant);
      const random = seeded(variant.length * 31 + name.length);
      const choose = (offered) => offered[Math.floor(random() * offered.length)];
      while (await playOne(page, hand, choose));
      const moves = await exported(page, "moves");
      const result = resultOf(moves);
      assert.match(await text(page, "#status"), SAID[result], moves);
      const count = (pattern) => (moves.match(pattern) ?? []).length;
      t.diagnostic(`${moves.split(/\s+/).length} words, ${count(/\b0000\b/g)} passes, ${count(/\b(left|right)\b/g)} refills, ${result}`);
    });
  }
}

/** Fills in the form of a new game: a person as Black against a beginner. */
async function newGame(page, hand, variant) {
  if (!(await page.$("#setup[open]"))) {
    if (hand === HANDS.keyboard) await page.keyboard.press("n");
    else await hand.press(page, '[data-do="new"]');
  }
  await page.waitForSelector("#setup[open]");
  if (hand === HANDS.keyboard) {
    await page.focus(`#setup input[value="${variant}"]`);
    await page.keyboard.press(" ");
    await page.focus('#setup [name="level-1"]');
    await page.keyboard.press("Home");
  } else {
    await hand.press(page, `#setup .chip:has(input[value="${variant}"])`);
    await page.select('#setup [name="level-1"]', "beginner");
  }
  assert.equal(await page.$eval('#setup [name="level-1"]', (it) => it.value), "beginner");
  assert.equal(await page.$eval('#setup input[name="variant"]:checked', (it) => it.value), variant);
  await hand.press(page, "#start");
  await page.waitForSelector("#setup:not([open])");
}

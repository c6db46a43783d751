// Whole games of every variant against the weakest engine, by mouse, touch and keyboard.

import assert from "node:assert/strict";
import { test } from "node:test";
import { VARIANTS, exported, open, resultOf, seeded, text } from "./harness.js";
import { INPUTS, playOne } from "./inputs.js";

const SAID = { p1win: /^Black has won/, p2win: /^White has won/, draw: /^Draw/ };

for (const variant of VARIANTS) {
  for (const [name, input] of Object.entries(INPUTS)) {
    test(`${variant}, ${name}: game ends with the engine's result`, async (t) => {
      const page = await open(t, { size: input.size });
      await newGame(page, input, variant);
      const random = seeded(variant.length * 31 + name.length);
      const choose = (offered) => offered[Math.floor(random() * offered.length)];
      while (await playOne(page, input, choose));
      const moves = await exported(page, "moves");
      const result = resultOf(moves);
      assert.match(await text(page, "#status"), SAID[result], moves);
      const count = (pattern) => (moves.match(pattern) ?? []).length;
      t.diagnostic(
        `${count(/\b0000\b/g)} passes, ${count(/\b(left|right)\b/g)} refills, ${result}`,
      );
    });
  }
}

/** Fills in the form for a new game: human as Black, beginner as White. */
async function newGame(page, input, variant) {
  if (!(await page.$("#setup[open]"))) {
    if (input === INPUTS.keyboard) await page.keyboard.press("n");
    else await input.press(page, '[data-do="new"]');
  }
  await page.waitForSelector("#setup[open]");
  if (input === INPUTS.keyboard) {
    await page.focus(`#setup input[value="${variant}"]`);
    await page.keyboard.press(" ");
    await page.focus('#setup [name="level-1"]');
    await page.keyboard.press("Home");
  } else {
    await input.press(page, `#setup .chip:has(input[value="${variant}"])`);
    await page.select('#setup [name="level-1"]', "beginner");
  }
  assert.equal(await page.$eval('#setup [name="level-1"]', (it) => it.value), "beginner");
  assert.equal(await page.$eval('#setup input[name="variant"]:checked', (it) => it.value), variant);
  await input.press(page, "#start");
  await page.waitForSelector("#setup:not([open])");
}

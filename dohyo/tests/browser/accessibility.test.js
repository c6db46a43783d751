// Accessibility and layout of every view, on desktop and phone, light and dark. Saves a screenshot
// of each.

import assert from "node:assert/strict";
import { mkdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { SIZES, linkTo, emulateMedia, seeded, startOf, until } from "./harness.js";
import { INPUTS, openAt, playOne } from "./inputs.js";

const ROUND = "2PV1Y2/1v5B/4R+O2/2r3G1/8/L1l1b3/8/g2o2yp b v 0-1 3";
const KAMON =
  "o3p4g6l1/y1r4y4y6l6/o1r6p5g1p3l2/r3l5g2p6p2r1r5/o2p1g3y5l3o5/l4y2r2o4g4/y3g5--o6 " +
  "4/5/6/7/6/5/4 b -";

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const screenshots =
  process.env.DOHYO_SHOTS ??
  fileURLToPath(new URL("../../../target/browser/dohyo", import.meta.url));

mkdirSync(screenshots, { recursive: true });

/** Prepares each view with typical content. */
const VIEWS = {
  async new(page) {
    await page.keyboard.press("n");
    await page.waitForSelector("#setup[open]");
  },
  async play(page) {
    await plies(page, 6);
  },
  async analysis(page) {
    await plies(page, 8);
    await page.keyboard.press("a");
    await until(page, () => document.querySelectorAll("#lines li:not(.empty)").length >= 3);
  },
  async refill(page) {
    await page.evaluate((hash) => {
      location.hash = hash;
    }, linkTo(ROUND));
    await until(page, () =>
      document.querySelector('#board [data-place="56"]')?.ariaLabel?.includes("can move here"),
    );
    await INPUTS.mouse.place(page, "56");
    await until(page, () => !document.querySelector("#refill").hidden);
  },
  async kamon(page) {
    await page.evaluate((hash) => {
      location.hash = hash;
    }, linkTo(KAMON));
    await until(page, () => document.querySelectorAll("#board [data-place]").length === 37);
    await plies(page, 7);
  },
  async review(page) {
    await plies(page, 10);
    await page.keyboard.press("y");
    await page.waitForSelector("#review-body table");
  },
  async games(page) {
    await page.keyboard.press("g");
    await page.waitForSelector("#games:not([hidden])");
    await page.type("#import-text", "no game at all");
    await page.click("#import button.main");
    await page.waitForSelector("#import-report .wrong");
  },
  async editor(page) {
    await page.keyboard.press("d");
    await until(page, () => document.querySelector("#editor-message").textContent !== "");
  },
  async help(page) {
    await page.keyboard.press("?");
    await page.waitForSelector("#help[open]");
  },
  async settings(page) {
    await page.keyboard.press(";");
    await page.waitForSelector("#settings[open]");
  },
  async export(page) {
    await plies(page, 4);
    await page.keyboard.press("x");
    await until(page, () => document.querySelector("#export-text")?.dataset.form);
  },
};

async function plies(page, number) {
  const random = seeded(number);
  for (let i = 0; i < number; i++)
    await playOne(page, INPUTS.mouse, (offered) => offered[Math.floor(random() * offered.length)]);
}

for (const size of Object.keys(SIZES)) {
  for (const [name, prepare] of Object.entries(VIEWS)) {
    test(`${name}, ${size}: accessible and within the screen`, async (t) => {
      const page = await openAt(t, startOf(3), { size });
      await prepare(page);
      // The page's content policy blocks injected scripts; the debugger is exempt.
      await page.evaluate(axe);
      for (const scheme of ["light", "dark"]) {
        await emulateMedia(page, { scheme });
        const [inner, outer] = await page.evaluate(() => [
          document.documentElement.scrollWidth,
          document.documentElement.clientWidth,
        ]);
        assert.ok(inner <= outer, `${scheme}: the page is ${inner} wide on a screen of ${outer}`);
        await page.screenshot({
          path: join(screenshots, `${name}-${size}-${scheme}.png`),
          fullPage: size === "phone" && !(await page.$("dialog[open]")),
        });
        const { violations } = await page.evaluate(() => axe.run());
        const serious = violations.filter((found) =>
          ["serious", "critical"].includes(found.impact),
        );
        assert.deepEqual(
          serious.map((found) => [
            found.id,
            found.nodes.slice(0, 3).map((node) => node.html.slice(0, 200)),
          ]),
          [],
          scheme,
        );
      }
    });
  }
}

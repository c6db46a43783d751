// The page's languages.

import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { open, text } from "./harness.js";

const WEB = fileURLToPath(new URL("../../web/", import.meta.url));
const LANGUAGES = ["en", "fr", "de", "ro"];
const words = Object.fromEntries(
  await Promise.all(
    LANGUAGES.map(async (code) => [code, (await import(`${WEB}words/${code}.js`)).default]),
  ),
);

for (const code of LANGUAGES) {
  test(`${code} has every text with the same placeholders`, () => {
    const values = (text) => [...text.matchAll(/\{\w+\}/g)].map(([name]) => name).sort();
    assert.deepEqual(Object.keys(words[code]).sort(), Object.keys(words.en).sort());
    for (const [key, english] of Object.entries(words.en))
      assert.deepEqual(values(words[code][key]), values(english), key);
  });

  test(`${code}: follows the browser language and can be changed`, async (t) => {
    const page = await open(t, { language: `${code}-XX` });
    if (!(await page.$("#setup[open]"))) await page.click('[data-do="new"]');
    await page.waitForSelector("#setup[open]");
    assert.equal(await text(page, "#start"), words[code].start);
    assert.equal(await page.evaluate(() => document.documentElement.lang), code);
    await page.click("#start");
    await page.waitForSelector("#setup:not([open])");
    await page.click('[data-do="settings"]');
    const other = code === "ro" ? "de" : "ro";
    await page.select('#settings [name="language"]', other);
    await page.waitForFunction(
      (games) => document.querySelector('[data-view="games"]').textContent === games,
      {},
      words[other]["view.games"],
    );
    const status = { ro: /Negru|negru/, de: /Schwarz/ }[other];
    await page.waitForFunction(
      (source) => new RegExp(source).test(document.querySelector("#status").textContent),
      {},
      status.source,
    );
  });
}

test("defines every text used by the page", () => {
  for (const file of readdirSync(WEB).filter((name) => /\.(js|html)$/.test(name))) {
    const source = readFileSync(WEB + file, "utf8");
    const named = [...source.matchAll(/\bword\("([^"]+)"|data-(?:word|label)="([^"]+)"/g)].map(
      ([, a, b]) => a ?? b,
    );
    for (const key of named) assert.ok(key in words.en, `${file}: ${key}`);
  }
});

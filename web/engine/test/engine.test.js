// The package in a browser: the engine in its worker answers as the program oshi.
//
// `PACKAGE` names the folder of the built package, `BROWSER` the browser: chrome or firefox.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { after, before, describe, test } from "node:test";
import { launch, serve } from "./browser.js";
import { dialogues, timeless } from "./dialogues.js";
import { transcripts } from "./transcript.js";

const PACKAGE = resolve(process.env.PACKAGE ?? "../../target/web");
const DIALOGUES = Number(process.env.DIALOGUES ?? 500);
/** Dialogues with one engine. */
const BATCH = 50;
/** Bound of a time, in milliseconds: far above any on an idle machine. */
const BOUND = 10_000;

const read = (path) => readFileSync(new URL(`../../../${path}`, import.meta.url), "utf8");

let browser;
let server;
const errors = [];

before(async () => {
  server = await serve(PACKAGE);
  browser = await launch(process.env.BROWSER ?? "chrome");
});
after(async () => {
  await browser?.close();
  server?.close();
});

async function open(base = server.url) {
  const page = await browser.newPage();
  page.on("pageerror", (error) => errors.push(String(error)));
  await page.goto(`${base}test/page.html`);
  await page.waitForFunction(() => window.latencies);
  return page;
}

for (const [name, query] of [
  ["chosen by the browser's features", ""],
  ["unwinding its stack", "?asyncify"],
]) {
  describe(`engine ${name}`, () => {
    test("bench equals the native total", async () => {
      const page = await open();
      const [lines] = await page.evaluate(
        (query) => window.converse(query)([{ lines: ["bench"], last: "Nodes/second" }]),
        query,
      );
      assert.match(lines.at(-2), new RegExp(`^Nodes searched {2}: ${read("tests/data/bench.txt").trim()}$`));
    });

    test("reproduces the transcripts of the documents", async () => {
      const page = await open();
      const all = [...transcripts(read("protocol.md")), ...transcripts(read("docs/gui.md"))];
      assert.ok(all.length >= 10);
      const differences = await page.evaluate(
        (all, query) => window.replay(all, query),
        all,
        query,
      );
      assert.deepEqual(differences, []);
    });

    test("answers random dialogues as the program", async () => {
      const page = await open();
      for (let begun = 0; begun < DIALOGUES; begun += BATCH) {
        const turns = await dialogues(begun, Math.min(BATCH, DIALOGUES - begun));
        const answers = await page.evaluate(
          (turns, query) => window.converse(query)(turns),
          turns,
          query,
        );
        turns.forEach(({ lines, answer }, index) => {
          assert.deepEqual(
            timeless({ lines, answer: answers[index] }),
            timeless({ lines, answer }),
            `seed ${begun}, turn ${index}: ${lines.join("; ")}`,
          );
        });
      }
    });

    test("answers while it thinks", async (t) => {
      const page = await open();
      const times = await page.evaluate((query) => window.latencies(40, query), query);
      for (const [line, values] of Object.entries(times)) {
        values.sort((one, other) => one - other);
        const [median, p95, most] = [0.5, 0.95, 1].map((part) =>
          values[Math.ceil(part * values.length) - 1].toFixed(1),
        );
        t.diagnostic(`${line}: median ${median} ms, p95 ${p95} ms, maximum ${most} ms`);
        assert.ok(values.at(-1) < BOUND);
      }
    });
  });
}

test("starts again after a failure with the same position", async () => {
  // The first report of a search makes the module's import throw, as a panic traps.
  const faulty = await serve(PACKAGE, {
    "/host.js": (text) =>
      text.replace(/export function print\(text\) \{/, '$&if (/nodes 77 /.test(text)) throw new Error("on\\npurpose");'),
  });
  const page = await open(faulty.url);
  const answers = await page.evaluate(() =>
    window.converse("")(
      [
        { lines: ["setoption name UCI_Variant value kamon", "isready"], last: "readyok" },
        { lines: ["position startpos moves g2", "moves b5", "go nodes 77"], last: "bestmove" },
        { lines: ["query p1turn", "d"], last: "Fen: " },
      ],
    ),
  );
  assert.deepEqual(answers[1].slice(-2), [
    "info string error: engine failed: Error: on purpose",
    "bestmove (none)",
  ]);
  assert.equal(answers[2][0], "response true");
  assert.match(answers[2].at(-1), /^Fen: .* b b5$/);
  faulty.close();
});

test("reports that the engine cannot be loaded", async () => {
  const broken = await serve(PACKAGE, { "/oshi.js": () => "nonsense" });
  const page = await open(broken.url);
  const [lines] = await page.evaluate(() => window.converse("")([{ lines: [], last: "info string" }]));
  assert.match(lines[0], /^info string error: engine failed: /);
  broken.close();
});

test("no page reports an error", () => assert.deepEqual(errors, []));

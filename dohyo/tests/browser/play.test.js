// Moves and actions of a game: oshi, passes, refills, takebacks, hints, variations, pause,
// resignation.

import assert from "node:assert/strict";
import { test } from "node:test";
import { exported, open, positionOf, startOf, text, until } from "./harness.js";
import { INPUTS, goOn, middle, moved, offers, openAt, ready } from "./inputs.js";

const OSHI = "V3P3/4Y3/6R1/3LB1g1/2G+l4/Or3+o1b/3y4/3pv3 b l 2-0 3";
/** White's a4b3 calls a blocked tower of Black. */
const BLOCKED = { line: "1OVL1GBY/2y5/8/7R/+P7/8/8/+gbr1vplo w p 1-1 3", move: ["a4", "b3"] };
/** Black's b7a8 wins the round. */
const ROUND = { line: "2PV1Y2/1v5B/4R+O2/2r3G1/8/L1l1b3/8/g2o2yp b v 0-1 3", move: ["b7", "a8"] };

const placeOf = (square) => String(square.charCodeAt(0) - 97 + 8 * (Number(square[1]) - 1));
/** The accessible name of a square. */
const named = (page, square) =>
  page.$eval(`#board [data-place="${placeOf(square)}"]`, (it) => it.ariaLabel);
const node = (page) => offers(page).then(({ head }) => head);

/** Plays a move by mouse and waits for the next turn. */
async function play(page, from, to) {
  const before = await node(page);
  if ((await offers(page)).movable.includes(placeOf(from)))
    await INPUTS.mouse.place(page, placeOf(from));
  await INPUTS.mouse.place(page, placeOf(to));
  await moved(page, before);
  await ready(page);
}

for (const [name, input] of Object.entries(INPUTS)) {
  test(`${name}: moves again after an oshi`, async (t) => {
    const page = await openAt(t, OSHI, { size: input.size });
    const pushed = (await named(page, "d5")).split(", ").find((part) => part.includes("tower"));
    assert.match(pushed, /tower/);
    assert.match(await named(page, "d5"), /can move here/);
    const start = await node(page);
    await input.place(page, placeOf("d5"));
    await moved(page, start);
    assert.match(
      await named(page, "d6"),
      new RegExp(pushed),
      "the pushed tower is one square back",
    );
    assert.match(await named(page, "d5"), /Black/);
    assert.match(await text(page, "#note"), /Oshi: Black moves again/);
    const { targets, movable } = await offers(page);
    assert.ok(targets.length + movable.length > 0);
    assert.equal(
      (await exported(page, "position")).trim(),
      positionOf(`position fen ${OSHI} moves d4d5`),
    );
  });

  test(`${name}: passes for a blocked tower with a note`, async (t) => {
    const page = await openAt(t, BLOCKED.line, { size: input.size });
    await input.place(page, placeOf(BLOCKED.move[1]));
    await until(page, () =>
      /is blocked and passes/.test(document.querySelector("#note").textContent),
    );
    const [first] = [
      positionOf(`position fen ${BLOCKED.line} moves ${BLOCKED.move.join("")} 0000`),
    ];
    const path = await exported(page, "moves");
    assert.match(path, new RegExp(`${BLOCKED.move.join("")} 0000`));
    if (path.trim().endsWith(" 0000"))
      assert.equal((await exported(page, "position")).trim(), first);
  });

  test(`${name}: previews both refills and takes back into the round before`, async (t) => {
    const page = await openAt(t, ROUND.line, { size: input.size });
    await goOn(page, input, { "who-0": "person", "who-1": "0", "level-1": "beginner" });
    await ready(page);
    const start = await node(page);
    await input.place(page, placeOf(ROUND.move[1]));
    await moved(page, start);
    await until(page, () => !document.querySelector("#refill").hidden);
    const pictures = await page.$$eval("#refill [data-move] svg", (all) =>
      all.map((it) =>
        [...it.querySelectorAll("[data-piece]")]
          .map((piece) => piece.getAttribute("transform"))
          .join(),
      ),
    );
    assert.equal(pictures.length, 2);
    assert.notEqual(...pictures);
    const won = await node(page);
    if (input === INPUTS.keyboard) await page.keyboard.press("2");
    else await input.press(page, '#refill [data-move="right"]');
    await moved(page, won);
    // The loser opens the next round: wait for the engine's move and the next human turn.
    await until(
      page,
      (won) =>
        document.querySelectorAll("#sheet [data-node]").length >= 3 &&
        document.querySelector("#sheet [aria-current]").dataset.node !== won,
      won,
    );
    await ready(page);
    assert.match(await text(page, "#sheet"), /Round 2/);
    for (let back = 0; back < 3 && (await node(page)) !== start; back++) {
      const here = await node(page);
      await until(page, () => !document.querySelector('[data-do="takeback"]').disabled);
      if (input === INPUTS.keyboard) await page.keyboard.press("t");
      else await input.press(page, '#actions [data-do="takeback"]');
      await moved(page, here);
    }
    assert.equal(
      (await exported(page, "position")).trim(),
      ROUND.line,
      "the takeback leads into the previous round",
    );
    await until(page, () => document.querySelector("#refill").hidden);
    assert.match(await named(page, ROUND.move[1]), /can move here/);
  });
}

test("drags a tower to a target and returns it from other squares", async (t) => {
  const page = await openAt(t, startOf(3));
  const drag = async (from, to) => {
    await page.mouse.move(...(await middle(page, placeOf(from))));
    await page.mouse.down();
    await page.mouse.move(...(await middle(page, placeOf(to))), { steps: 4 });
    await page.mouse.up();
  };
  await drag("a1", "b5");
  assert.equal(await node(page), "0");
  assert.match(await named(page, "a1"), /Black's brown tower/);
  await drag("a1", "a5");
  await moved(page, "0");
  assert.match(await named(page, "a5"), /Black's brown tower/);
  assert.equal((await exported(page, "moves")).includes("a1a5"), true);
});

for (const [how, take, put] of [
  [
    "selected tower stays selected",
    (mouse, place) => mouse.click(...place),
    (mouse, place) => mouse.click(...place),
  ],
  ["dragged tower stays in the hand", (mouse) => mouse.down(), (mouse) => mouse.up()],
]) {
  test(`${how} when the board is redrawn`, async (t) => {
    const page = await openAt(t, startOf(3));
    const at = async (square, act) => {
      const place = await middle(page, placeOf(square));
      await page.mouse.move(...place, { steps: 4 });
      await act(page.mouse, place);
    };
    await at("a1", take);
    await page.mouse.move(...(await middle(page, placeOf("b3"))));
    await page.keyboard.press("l");
    await until(page, () => document.documentElement.classList.contains("no-letters"));
    await at("a5", put);
    await moved(page, "0");
    assert.match(await named(page, "a5"), /Black's brown tower/);
  });
}

test("shows a hint, promotes a variation and deletes a branch", async (t) => {
  const page = await openAt(t, startOf(1));
  await page.keyboard.press("h");
  await page.waitForSelector("#board .arrow.hint");
  await play(page, "a1", "a5");
  const first = await node(page);
  await page.keyboard.press("ArrowLeft");
  await moved(page, first);
  await play(page, "a1", "a2");
  await page.waitForSelector("#sheet .variation [aria-current]");
  await page.keyboard.press("u");
  await until(page, () => document.querySelector("#sheet .pair [aria-current]"));
  await page.keyboard.press("Delete");
  await until(page, () => document.querySelectorAll("#sheet [data-node]").length === 1);
});

test("asks for one hint while the key is held", async (t) => {
  const page = await openAt(t, startOf(1));
  await page.evaluate(() => {
    window.hints = 0;
    // The transport of the native server, and that of the static page.
    for (const [prototype, name] of [
      [WebSocket.prototype, "send"],
      [Worker.prototype, "postMessage"],
    ]) {
      const send = prototype[name];
      prototype[name] = function (text) {
        window.hints += JSON.parse(text).do === "hint";
        return send.call(this, text);
      };
    }
  });
  await page.keyboard.down("h");
  for (let times = 0; times < 20; times++) await page.keyboard.down("h");
  await page.keyboard.up("h");
  await page.waitForSelector("#board .arrow.hint");
  assert.equal(await page.evaluate(() => window.hints), 1);
  assert.match(await text(page, "#spoken"), /^Hint: /);
});

test("asks before deleting played moves", async (t) => {
  const page = await openAt(t, startOf(1));
  await play(page, "a1", "a5");
  for (const [answer, left] of [
    [/Cancel/, 1],
    [/Delete/, 0],
  ]) {
    await page.keyboard.press("Delete");
    await page.waitForSelector("#confirm[open]");
    const buttons = await page.$$("#confirm button");
    for (const button of buttons)
      if (answer.test(await button.evaluate((it) => it.textContent))) await button.click();
    await until(
      page,
      (left) =>
        !document.querySelector("#confirm[open]") &&
        document.querySelectorAll("#sheet [data-node]").length === left,
      left,
    );
  }
});

test("deletes a move confirmed right after a cancelled question", async (t) => {
  const page = await openAt(t, startOf(1));
  await play(page, "a1", "a5");
  await page.keyboard.press("Delete");
  await page.waitForSelector("#confirm[open]");
  // In one task, so that the first question's close event comes after the second question.
  await page.evaluate(() => {
    document.querySelector("#confirm button:not(.main)").click();
    document.dispatchEvent(new KeyboardEvent("keydown", { key: "Delete", bubbles: true }));
  });
  await page.waitForSelector("#confirm[open]");
  await page.click("#confirm button.main");
  await until(page, () => !document.querySelector("#sheet [data-node]"));
});

test("takebacks and continued games are ordered as after a reload", async (t) => {
  const page = await openAt(t, startOf(1));
  /** The rows of the move list: class, number and moves. */
  const sheet = () =>
    page.$$eval("#sheet > .pair, #sheet > .variation", (rows) =>
      rows.map((row) =>
        [
          row.className,
          row.querySelector(".number")?.textContent,
          ...[...row.querySelectorAll(".move")].map((it) => it.title),
        ].join(" "),
      ),
    );
  const asAfterReload = async () => {
    const moves = await page.$$eval("#sheet .move", (all) => all.length);
    const shown = await sheet();
    await page.reload();
    await until(page, (moves) => document.querySelectorAll("#sheet .move").length === moves, moves);
    assert.deepEqual(shown, await sheet());
    return shown;
  };
  const first = (rows) => rows.find((row) => row.startsWith("pair"));
  await play(page, "a1", "a5");
  const start = await node(page);
  await page.keyboard.press("t");
  await moved(page, start);
  await play(page, "a1", "a2");
  await until(page, () => document.querySelector("#sheet .pair [aria-current]"));
  assert.match(first(await asAfterReload()), /Ahead 1 /);
  // White's answer comes after the variation, in the pair that Black has started.
  const answer = (await ready(page)).targets[0];
  const black = await node(page);
  await INPUTS.mouse.place(page, answer);
  await moved(page, black);
  await ready(page);
  assert.deepEqual(
    (await sheet()).filter((row) => row.startsWith("pair")).map((row) => row.split(" ")[1]),
    ["1", "1"],
  );
  // Play on from the start, along the moves that were taken back.
  await page.click("#sheet .variation .move");
  await until(page, () => document.querySelector("#sheet .variation [aria-current]"));
  await goOn(page, INPUTS.mouse, { "who-0": "person", "who-1": "person" });
  await until(page, () => document.querySelector("#sheet .pair [aria-current]"));
  assert.match(first(await asAfterReload()), /Ahead 4 /);
});

test("resigning loses the game", async (t) => {
  const page = await openAt(t, startOf(3));
  await goOn(page, INPUTS.mouse, { "who-1": "0" });
  await page.waitForSelector('#actions [data-do="resign"]');
  await page.keyboard.press("r");
  await page.waitForSelector("#confirm[open]");
  await page.click("#confirm button.main");
  await until(page, () => /^White has won/.test(document.querySelector("#status").textContent));
  await until(page, () => /White has won/.test(document.querySelector("#spoken").textContent));
});

test("a move resumes a paused game", async (t) => {
  const page = await openAt(t, startOf(3));
  const says = (wanted) =>
    until(
      page,
      (wanted) => document.querySelector("#status").textContent.startsWith("Paused") === wanted,
      wanted,
    );
  await page.keyboard.press("z");
  await says(true);
  await page.keyboard.press("z");
  await says(false);
  await page.keyboard.press("z");
  await says(true);
  await ready(page);
  await INPUTS.mouse.place(page, placeOf("a1"));
  await INPUTS.mouse.place(page, placeOf("a2"));
  await moved(page, "0");
  await says(false);
});

test("a deleted game leaves the board of every tab", async (t) => {
  const [one, other] = [await openAt(t, startOf(1)), await open(t)];
  await until(one, () => location.hash.startsWith("#game="));
  const hash = await one.evaluate(() => location.hash);
  await other.evaluate((hash) => {
    location.hash = hash;
  }, hash);
  await until(
    other,
    (hash) => location.hash === hash && document.querySelector("#board [data-place]"),
    hash,
  );
  if (await other.$("#setup[open]")) await other.keyboard.press("Escape");
  await other.keyboard.press("g");
  await other.click(`[data-remove="${hash.slice("#game=".length)}"]`);
  await other.waitForSelector("#confirm[open]");
  await other.click("#confirm button.main");
  for (const page of [one, other]) {
    await until(
      page,
      () =>
        /was deleted/.test(document.querySelector("#toasts").textContent) &&
        !document.querySelector("#games").hidden,
    );
    await page.click('[data-view="play"]');
    await until(page, () => document.querySelector("#play.no-game"));
  }
});

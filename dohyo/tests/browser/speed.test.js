// Measures the speed of the page. Reported only, since it depends on the machine.

import { test } from "node:test";
import { startOf, until } from "./harness.js";
import { openAt, ready } from "./inputs.js";

for (const motion of [false, true]) {
  test(`time from click to move, ${motion ? "with" : "without"} motion`, async (t) => {
    const page = await openAt(t, startOf(3), { motion });
    const times = [];
    for (let i = 0; i < 12; i++) {
      const { movable, targets, isOver, refill, head } = await ready(page);
      if (isOver || refill) break;
      const from = movable[0];
      const result = await page.evaluate(
        async (from, wanted) => {
          const place = (number) => document.querySelector(`#board [data-place="${number}"]`);
          const click = (number) => {
            const box = place(number).firstElementChild.getBoundingClientRect();
            const at = {
              bubbles: true,
              button: 0,
              pointerId: 1,
              clientX: box.x + box.width / 2,
              clientY: box.y + box.height / 2,
            };
            place(number).dispatchEvent(new PointerEvent("pointerdown", at));
            place(number).dispatchEvent(new PointerEvent("pointerup", at));
          };
          let to = wanted;
          if (to === undefined) {
            click(from);
            to = [...document.querySelectorAll("#board [data-place]")].find((it) =>
              it.ariaLabel.includes("can move here"),
            )?.dataset.place;
          }
          if (to === undefined) return null;
          const middle = (element) => {
            const box = element.getBoundingClientRect();
            return [box.x + box.width / 2, box.y + box.height / 2];
          };
          const [x, y] = middle(place(to).firstElementChild);
          const isThere = () =>
            [...document.querySelectorAll("#board [data-piece]:not([display])")].some((it) => {
              const [px, py] = middle(it);
              return Math.abs(px - x) < 12 && Math.abs(py - y) < 12;
            });
          const start = performance.now();
          click(to);
          let began = null;
          const piece = [...document.querySelectorAll("#board [data-piece]:not([display])")].find(
            (it) => it.getAttribute("transform") === place(to).getAttribute("transform"),
          );
          if (piece) began = performance.now() - start;
          while (!isThere()) await new Promise(requestAnimationFrame);
          return [began, performance.now() - start];
        },
        from,
        targets[0],
      );
      if (!result) break;
      times.push(result);
      await until(
        page,
        (head) => (document.querySelector("#sheet [aria-current]")?.dataset.node ?? "0") !== head,
        head,
      );
    }
    const worst = (index) => Math.max(...times.map((it) => it[index] ?? NaN)).toFixed(1);
    t.diagnostic(
      `${times.length} moves: started within ${worst(0)} ms, finished within ${worst(1)} ms`,
    );
  });
}

test("analysis updates per second", async (t) => {
  const page = await openAt(t, startOf(15));
  await page.keyboard.press("a");
  await page.waitForSelector("#lines li:not(.empty)");
  const changes = await page.evaluate(
    () =>
      new Promise((resolve) => {
        let changes = 0;
        const start = performance.now();
        const observer = new MutationObserver(() => {
          changes += 1;
          if (changes < 10) return;
          observer.disconnect();
          resolve(changes / ((performance.now() - start) / 1000));
        });
        observer.observe(document.querySelector("#analysis-info"), {
          childList: true,
          characterData: true,
          subtree: true,
        });
      }),
  );
  t.diagnostic(`${changes.toFixed(1)} updates per second`);
});

// Three ways to play: mouse, touch and keyboard. They find moves by the accessible names of the
// places.

import { linkTo, open, text, until } from "./harness.js";

/** What the user can do now, from the accessible names of the places. */
export const offers = (page) =>
  page.evaluate(() => {
    const named = (words) =>
      [...document.querySelectorAll("#board [data-place]")]
        .filter((it) => it.ariaLabel?.split(", ").some((part) => words.includes(part)))
        .map((it) => it.dataset.place);
    return {
      targets: named(["can move here"]),
      movable: named(["can move"]),
      refill: !document.querySelector("#refill").hidden,
      isOver: document.querySelector("#status.over") !== null,
      head: document.querySelector("#sheet [aria-current]")?.dataset.node ?? "0",
    };
  });

/** The centre of a place, in page coordinates. */
export const middle = (page, place) =>
  page.evaluate((place) => {
    const shape = document
      .querySelector(`#board [data-place="${place}"] > *`)
      .getBoundingClientRect();
    return [shape.x + shape.width / 2, shape.y + shape.height / 2];
  }, place);

export const INPUTS = {
  mouse: {
    size: "desktop",
    async place(page, place) {
      await page.mouse.click(...(await middle(page, place)));
    },
    press: (page, selector) => page.locator(selector).click(),
  },
  touch: {
    size: "phone",
    async place(page, place) {
      await page.evaluate(
        (place) =>
          document
            .querySelector(`#board [data-place="${place}"]`)
            .scrollIntoView({ block: "center" }),
        place,
      );
      await page.touchscreen.tap(...(await middle(page, place)));
    },
    async press(page, selector) {
      await page.waitForSelector(selector);
      await page.tap(selector);
    },
  },
  keyboard: {
    size: "desktop",
    /** Moves to the place with the arrow keys and presses Enter. */
    async place(page, place) {
      if (!(await page.evaluate(() => Boolean(document.activeElement.closest("#board")))))
        await page.keyboard.press("b");
      for (let steps = 0; steps < 40; steps++) {
        const key = await page.evaluate((place) => {
          const at = (element) => {
            const box = element.firstElementChild.getBoundingClientRect();
            return [box.x + box.width / 2, box.y + box.height / 2];
          };
          const here = document.activeElement.closest("#board [data-place]");
          if (here?.dataset.place === place) return null;
          const [[x, y], [wantedX, wantedY]] = [
            at(here),
            at(document.querySelector(`#board [data-place="${place}"]`)),
          ];
          if (Math.abs(wantedY - y) > 5) return wantedY > y ? "ArrowDown" : "ArrowUp";
          return wantedX > x ? "ArrowRight" : "ArrowLeft";
        }, place);
        if (key === null) return page.keyboard.press("Enter");
        await page.keyboard.press(key);
      }
      throw new Error(`the arrow keys do not reach place ${place}`);
    },
    async press(page, selector) {
      await page.waitForSelector(selector);
      await page.focus(selector);
      await page.keyboard.press("Enter");
    },
  },
};

/** Waits until a human player is to move or the game is over. */
export async function ready(page) {
  await until(page, () => {
    const has = (part) =>
      [...document.querySelectorAll("#board [data-place]")].some((it) =>
        it.ariaLabel?.split(", ").includes(part),
      );
    return (
      !document.querySelector("#refill").hidden ||
      has("can move here") ||
      has("can move") ||
      document.querySelector("#status.over") !== null
    );
  });
  return offers(page);
}

/** Opens a page with a position for two human players. */
export async function openAt(t, line, options) {
  const page = await open(t, { hash: linkTo(line), ...options });
  await ready(page);
  return page;
}

/** Plays on from the current position with these entries in the form. */
export async function goOn(page, input, entries) {
  await input.press(page, '#actions [data-do="goon"]');
  await page.waitForSelector("#setup[open]");
  for (const [name, value] of Object.entries(entries))
    await page.locator(`#setup [name="${name}"]`).fill(value);
  await input.press(page, "#start");
  await page.waitForSelector("#setup:not([open])");
}

/** Waits for another position. The error of a timeout includes the page's state. */
export async function moved(page, before) {
  try {
    await until(
      page,
      (before) => (document.querySelector("#sheet [aria-current]")?.dataset.node ?? "0") !== before,
      before,
    );
  } catch (error) {
    const [status, note] = [await text(page, "#status"), await text(page, "#note")];
    const offered = JSON.stringify(await offers(page));
    const message = `still at node ${before}: ${status}, ${note}, ${offered}`;
    throw new Error(message, { cause: error });
  }
}

/** Plays one move picked by `choose`, and returns whether the game continues. */
export async function playOne(page, input, choose) {
  const offered = await ready(page);
  if (offered.isOver) return false;
  if (offered.refill) {
    const side = choose(["left", "right"]);
    if (input === INPUTS.keyboard) await page.keyboard.press(side === "left" ? "1" : "2");
    else await input.press(page, `#refill [data-move="${side}"]`);
  } else {
    if (!offered.targets.length) await input.place(page, choose(offered.movable));
    const { targets } = await offers(page);
    if (!targets.length) return true;
    await input.place(page, choose(targets));
  }
  await moved(page, offered.head);
  return true;
}

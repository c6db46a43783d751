// Icons, as strokes on a 24 by 24 grid.

import { draw } from "./dom.js";

const STROKES = {
  plus: "M12 5v14M5 12h14",
  keys: "M3 7h18v10H3zM6 10h1M10 10h1M14 10h1M17.5 10h1M8 14h8",
  settings: "M4 7h9M17 7h3M4 12h3M11 12h9M4 17h9M17 17h3M15 5v4M9 10v4M15 15v4",
  takeback: "M9 6 4 11l5 5M4 11h10a5 5 0 0 1 0 10h-3",
  hint: "M9 18h6M10 21h4M12 3a6 6 0 0 0-4 10.5c.7.7 1 1.5 1 2.5h6c0-1 .3-1.8 1-2.5A6 6 0 0 0 12 3z",
  resign: "M6 21V4M6 5c4-2 7 2 12 0v8c-5 2-8-2-12 0",
  flip: "M8 4v16M8 4 4 8M8 4l4 4M16 20V4M16 20l-4-4M16 20l4-4",
  swap: "M4 8h14M14 4l4 4-4 4M20 16H6M10 12l-4 4 4 4",
  pause: "M8 5v14M16 5v14",
  resume: "M7 5v14l11-7z",
  goon: "M5 5v14M10 5v14l10-7z",
  again: "M20 11a8 8 0 1 0-2.3 6M20 5v6h-6",
  share: "M12 15V3M7 8l5-5 5 5M5 13v7h14v-7",
  first: "M6 5v14M18 5l-9 7 9 7z",
  back: "M16 5l-9 7 9 7z",
  forward: "M8 5l9 7-9 7z",
  last: "M18 5v14M6 5l9 7-9 7z",
  bin: "M5 7h14M10 7V4h4v3M7 7l1 13h8l1-13",
  up: "M12 19V5M6 11l6-6 6 6",
  pass: "M5 12h14M12 5l7 7-7 7",
  close: "M6 6l12 12M18 6 6 18",
  edit: "M4 20l1-5L16 4l4 4L9 19zM13 7l4 4",
};

export function icon(name) {
  return draw(
    "svg",
    { class: "icon", viewBox: "0 0 24 24", "aria-hidden": "true" },
    draw("path", { d: STROKES[name] ?? "" }),
  );
}

/** Adds an icon to each element with `data-icon`. */
export function placeIcons(root) {
  for (const element of root.querySelectorAll("[data-icon]"))
    element.prepend(icon(element.dataset.icon));
}

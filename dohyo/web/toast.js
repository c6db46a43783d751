// Short messages at the edge of the page, and what screen readers say.

import { byId, make } from "./dom.js";
import { icon } from "./icons.js";
import { word } from "./words.js";

const LASTS = { info: 4000, warning: 8000, error: 12000 };

/** Shows a message for a while; an error stays longer, and can be put away. */
export function toast(text, kind = "info") {
  const close = make("button", { type: "button", class: "plain", "aria-label": word("close"), on: { click: () => box.remove() } }, icon("close"));
  const box = make("div", { class: `toast ${kind}` }, make("span", { text }), close);
  const same = [...byId("toasts").children].find((it) => it.firstChild.textContent === text);
  same?.remove();
  byId("toasts").append(box);
  while (byId("toasts").children.length > 4) byId("toasts").firstChild.remove();
  setTimeout(() => box.remove(), LASTS[kind] ?? LASTS.info);
}

/** Shows why a request was refused. */
export const complain = (error) => toast(error.message, "error");

/** Lets a screen reader say something. */
export function say(text) {
  byId("spoken").textContent = text;
}

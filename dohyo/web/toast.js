// Short messages at the edge of the page, and announcements for screen readers.

import { byId, make } from "./dom.js";
import { icon } from "./icons.js";
import { word } from "./words.js";

const DURATIONS = { info: 4000, warning: 8000, error: 12000 };

/** Shows a message for some seconds; errors stay longer. A button closes it. */
export function toast(text, kind = "info") {
  const close = make(
    "button",
    {
      type: "button",
      class: "plain",
      "aria-label": word("close"),
      on: { click: () => box.remove() },
    },
    icon("close"),
  );
  const box = make("div", { class: `toast ${kind}` }, make("span", { text }), close);
  const duplicate = [...byId("toasts").children].find((it) => it.firstChild.textContent === text);
  duplicate?.remove();
  byId("toasts").append(box);
  while (byId("toasts").children.length > 4) byId("toasts").firstChild.remove();
  setTimeout(() => box.remove(), DURATIONS[kind] ?? DURATIONS.info);
}

/** Shows the message of an error. */
export const showError = (error) => toast(error.message, "error");

/** Announces a text to screen readers. */
export function announce(text) {
  byId("spoken").textContent = text;
}

// Dialogs: opened as modal ones, closed by Escape, by a click beside them or by their buttons.

import { byId, make } from "./dom.js";
import { icon } from "./icons.js";
import { word } from "./words.js";

/** The head of a dialog: its title and a cross. */
export function dialogHead(dialog, title) {
  return make(
    "div",
    { class: "dialog-head" },
    make("h2", { id: `${dialog.id}-title`, text: title }),
    make("button", { type: "button", class: "plain", "aria-label": word("close"), on: { click: () => dialog.close() } }, icon("close")),
  );
}

export function openDialog(dialog) {
  if (!dialog.open) dialog.showModal();
}

for (const dialog of document.querySelectorAll("dialog")) {
  dialog.addEventListener("mousedown", (event) => {
    if (event.target !== dialog) return;
    const { left, right, top, bottom } = dialog.getBoundingClientRect();
    const isInside = event.clientX >= left && event.clientX <= right && event.clientY >= top && event.clientY <= bottom;
    if (!isInside) dialog.close();
  });
}

/** Asks before something that cannot be undone; whether it shall be done. */
export function confirm(text, doIt) {
  const dialog = byId("confirm");
  return new Promise((resolve) => {
    const answer = (value) => make("button", {
      type: "button",
      class: value ? "main" : null,
      text: value ? doIt : word("cancel"),
      on: { click: () => dialog.close(value ? "yes" : "") },
    });
    dialog.replaceChildren(make("p", { id: "confirm-text", text }), make("div", { class: "row end" }, answer(false), answer(true)));
    dialog.returnValue = "";
    dialog.addEventListener("close", () => resolve(dialog.returnValue === "yes"), { once: true });
    openDialog(dialog);
  });
}

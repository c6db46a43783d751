// Modal dialogs. Escape, a click outside the dialog and its buttons close it.

import { byId, make } from "./dom.js";
import { icon } from "./icons.js";
import { word } from "./words.js";

/** The header of a dialog: title and close button. */
export function dialogHead(dialog, title) {
  return make(
    "div",
    { class: "dialog-head" },
    make("h2", { id: `${dialog.id}-title`, text: title }),
    make(
      "button",
      {
        type: "button",
        class: "plain",
        "aria-label": word("close"),
        on: { click: () => dialog.close() },
      },
      icon("close"),
    ),
  );
}

export function openDialog(dialog) {
  if (!dialog.open) dialog.showModal();
}

for (const dialog of document.querySelectorAll("dialog")) {
  dialog.addEventListener("mousedown", (event) => {
    if (event.target !== dialog) return;
    const { left, right, top, bottom } = dialog.getBoundingClientRect();
    const isInside =
      event.clientX >= left &&
      event.clientX <= right &&
      event.clientY >= top &&
      event.clientY <= bottom;
    if (!isInside) dialog.close();
  });
}

/** Asks before an action that cannot be undone. Resolves to whether the user confirmed. */
export function confirm(text, action) {
  const dialog = byId("confirm");
  return new Promise((resolve) => {
    const answer = (value) =>
      make("button", {
        type: "button",
        class: value ? "main" : null,
        text: value ? action : word("cancel"),
        on: {
          click: () => {
            resolve(value);
            dialog.close();
          },
        },
      });
    // The close event arrives later: the dialog may show the next question by then.
    const closed = () => {
      if (dialog.open) return;
      dialog.removeEventListener("close", closed);
      resolve(false);
    };
    dialog.addEventListener("close", closed);
    const buttons = make("div", { class: "row end" }, answer(false), answer(true));
    dialog.replaceChildren(make("p", { id: "confirm-text", text }), buttons);
    openDialog(dialog);
  });
}

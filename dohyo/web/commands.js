// The user's commands by name. Buttons and keys refer to these names.

import { showError } from "./toast.js";

const commands = new Map();

/** Adds commands by name: `{ run, can }`, or only a function if the command is always available. */
export function addCommands(more) {
  for (const [name, it] of Object.entries(more))
    commands.set(name, typeof it === "function" ? { run: it, can: () => true } : it);
}

export const can = (name) => commands.get(name)?.can() ?? false;

/** Runs a command if it is available, and returns whether it was. */
export function run(name) {
  if (!can(name)) return false;
  Promise.resolve(commands.get(name).run()).catch(showError);
  return true;
}

document.addEventListener("click", ({ target }) => {
  const button = target.closest?.("[data-do]");
  if (button) run(button.dataset.do);
});

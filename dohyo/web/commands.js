// What a reader can do, by name: buttons and keys only say which.

import { complain } from "./toast.js";

const commands = new Map();

/** Adds commands: `{run, can}` by their names, or the function alone where it can always be done. */
export function addCommands(more) {
  for (const [name, it] of Object.entries(more)) commands.set(name, typeof it === "function" ? { run: it, can: () => true } : it);
}

export const can = (name) => commands.get(name)?.can() ?? false;

/** Does it, if it can be done now; whether it could. */
export function run(name) {
  if (!can(name)) return false;
  Promise.resolve(commands.get(name).run()).catch(complain);
  return true;
}

document.addEventListener("click", ({ target }) => {
  const button = target.closest?.("[data-do]");
  if (button) run(button.dataset.do);
});

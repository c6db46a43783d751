// What a reader has chosen for this page; the browser keeps it.

import { tell } from "./state.js";

const KEY = "dohyo";

const USUAL = {
  language: null,
  theme: "system",
  letters: true,
  notation: "symbols",
  passes: true,
  lines: 3,
  engine: 0,
  arrows: true,
  thoughts: false,
  reviewMs: 100,
  setup: null,
};

function stored() {
  try {
    return JSON.parse(localStorage.getItem(KEY)) ?? {};
  } catch {
    return {};
  }
}

export const settings = { ...USUAL, ...stored() };

export function change(changes) {
  Object.assign(settings, changes);
  try {
    localStorage.setItem(KEY, JSON.stringify(settings));
  } catch {
    // Without storage the choice holds for this tab.
  }
  apply();
  tell("settings", changes);
}

export const THEMES = ["system", "light", "dark", "contrast"];

export function apply() {
  const { documentElement: root } = document;
  if (settings.theme === "system") delete root.dataset.theme;
  else root.dataset.theme = settings.theme;
  root.classList.toggle("no-letters", !settings.letters);
}

/** Whether the system asks for less motion. */
export const isCalm = () => matchMedia("(prefers-reduced-motion: reduce)").matches;

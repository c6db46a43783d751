// The user's settings, kept in the browser's local storage.

import { emit } from "./state.js";

const KEY = "dohyo";

const DEFAULTS = {
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

export const settings = { ...DEFAULTS, ...stored() };

export function changeSettings(changes) {
  Object.assign(settings, changes);
  try {
    localStorage.setItem(KEY, JSON.stringify(settings));
  } catch {
    // Without storage, the setting lasts as long as the tab.
  }
  applySettings();
  emit("settings", changes);
}

export const THEMES = ["system", "light", "dark", "contrast"];

export function applySettings() {
  const { documentElement: root } = document;
  if (settings.theme === "system") delete root.dataset.theme;
  else root.dataset.theme = settings.theme;
  root.classList.toggle("no-letters", !settings.letters);
}

/** Whether the system asks for reduced motion. */
export const prefersReducedMotion = () => matchMedia("(prefers-reduced-motion: reduce)").matches;

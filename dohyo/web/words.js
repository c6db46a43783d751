// Texts of the page in the user's language.

import de from "./words/de.js";
import en from "./words/en.js";
import fr from "./words/fr.js";
import ro from "./words/ro.js";

const ALL = { en, fr, de, ro };

/** Languages by their own names. */
export const LANGUAGES = { en: "English", fr: "Français", de: "Deutsch", ro: "Română" };

let code = "en";

export const language = () => code;

/** The first of the browser's languages that the page supports. */
const browserLanguage = () =>
  navigator.languages.map((it) => it.slice(0, 2).toLowerCase()).find((it) => it in ALL) ?? "en";

export function chooseLanguage(wanted) {
  code = wanted in ALL ? wanted : browserLanguage();
  document.documentElement.lang = code;
  translate(document);
}

/** The text for a key, with each `{name}` replaced by its value. */
export function word(key, values = {}) {
  const text = ALL[code][key] ?? en[key] ?? key;
  return text.replace(/\{(\w+)\}/g, (all, name) => values[name] ?? all);
}

/** Whether a key exists. */
export const hasWord = (key) => key in en;

export const side = (turn) => word(turn === 0 ? "black" : "white");

/** Formats a probability as a percentage, with one decimal near 0 and 100. */
export const percent = (chance) => {
  const value = 100 * chance;
  const text =
    (value > 0 && value < 10) || (value > 90 && value < 100) ? value.toFixed(1) : value.toFixed(0);
  return (
    new Intl.NumberFormat(code, { minimumFractionDigits: text.includes(".") ? 1 : 0 }).format(
      Number(text),
    ) + (code === "en" ? "%" : "\u00a0%")
  );
};

export const count = (number) =>
  new Intl.NumberFormat(code, {
    notation: number >= 10000 ? "compact" : "standard",
    maximumFractionDigits: 1,
  }).format(number);

export const plies = (n) => {
  const form = new Intl.PluralRules(code).select(n);
  return word(hasWord(`plies.${form}`) ? `plies.${form}` : "plies.other", { n });
};

/**
 * The reason for the end of a game. The server's codes are translated; other texts come from
 * imported sheets and stay.
 */
export const reasonOf = (reason) =>
  hasWord(`reason.${reason}`) ? word(`reason.${reason}`) : (reason ?? "");

/** A player's name, with an engine's level translated. */
export const playerName = (name) =>
  name.replace(/ \((\w+)\)$/, (all, level) =>
    hasWord(`level.${level}`) ? ` (${word(`level.${level}`)})` : all,
  );

/** Formats milliseconds as seconds. */
export const seconds = (ms) => new Intl.NumberFormat(code).format(ms / 1000);

/**
 * Translates all elements below `root`: `data-word` sets the text, `data-label` the accessible
 * name.
 */
export function translate(root) {
  for (const element of root.querySelectorAll("[data-word]"))
    element.textContent = word(element.dataset.word);
  for (const element of root.querySelectorAll("[data-label]")) {
    element.setAttribute("aria-label", word(element.dataset.label));
    if (element.tagName === "BUTTON") element.title = word(element.dataset.label);
  }
}

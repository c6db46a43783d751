// The views of the page. The address names the one that is shown, and the game.

import { byId, markCurrent } from "./dom.js";
import { on, state, tell } from "./state.js";
import { playerName, word } from "./words.js";

const VIEWS = ["play", "games", "editor", "watch"];

let shown = null;

export const view = () => shown;

export function showView(name) {
  if (name === shown) return;
  shown = name;
  for (const it of VIEWS) byId(it).hidden = it !== name;
  for (const link of document.querySelectorAll("#views [data-view]")) markCurrent(link, link.dataset.view === name);
  tell("shown", name);
  nameAddress();
  scrollTo({ top: 0 });
}

/** Whether an address may ask for this view here. */
export const isView = (name) => VIEWS.includes(name) && (name !== "watch" || Boolean(state.welcome?.watching));

/** Whether what this address names is still there to come back to. */
function isPlace(hash) {
  const asked = hash.slice(1);
  return state.games.some(({ id }) => asked === `game=${id}`) || (asked !== "play" && isView(asked));
}

/** Has the address name what is shown; the browser's Back leads to what it has named before. */
export function nameAddress() {
  const hash = shown === "play" && state.game ? `#game=${state.game.id}` : `#${shown}`;
  if (location.hash !== hash) history[isPlace(location.hash) ? "pushState" : "replaceState"](null, "", hash);
  nameTab();
}

function nameTab() {
  const title = shown === "play" && state.game ? state.game.players.map((player) => playerName(player.name) || word(player.kind)).join(" – ") : word(`view.${shown}`);
  document.title = `${title} · dohyo`;
}

// Without a game the others are to be seen.
on("gone", () => shown === "play" && showView("games"));
on("game", () => shown === "play" && nameAddress());
on("head language", () => shown && nameTab());

document.addEventListener("click", (event) => {
  const link = event.target.closest?.("#views [data-view]");
  if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  showView(link.dataset.view);
});

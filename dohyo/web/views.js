// The views of the page. The address names the current view or game.

import { byId, markCurrent } from "./dom.js";
import { on, state, emit } from "./state.js";
import { playerName, word } from "./words.js";

const VIEWS = ["play", "games", "editor", "watch"];

let shown = null;

export const view = () => shown;

export function showView(name) {
  if (name === shown) return;
  shown = name;
  for (const it of VIEWS) byId(it).hidden = it !== name;
  for (const link of document.querySelectorAll("#views [data-view]"))
    markCurrent(link, link.dataset.view === name);
  emit("shown", name);
  updateAddress();
  scrollTo({ top: 0 });
}

/** Whether this view exists and is available. */
export const isView = (name) =>
  VIEWS.includes(name) && (name !== "watch" || Boolean(state.welcome?.watching));

/** Whether the address still leads to something, so that it deserves a history entry. */
function isRestorable(hash) {
  const target = hash.slice(1);
  return (
    state.games.some(({ id }) => target === `game=${id}`) || (target !== "play" && isView(target))
  );
}

/** Updates the address. The browser's Back button leads to the previous one. */
export function updateAddress() {
  const hash = shown === "play" && state.game ? `#game=${state.game.id}` : `#${shown}`;
  if (location.hash !== hash)
    history[isRestorable(location.hash) ? "pushState" : "replaceState"](null, "", hash);
  updateTitle();
}

function updateTitle() {
  const title =
    shown === "play" && state.game
      ? state.game.players.map((player) => playerName(player.name) || word(player.kind)).join(" – ")
      : word(`view.${shown}`);
  document.title = `${title} · dohyo`;
}

// Without a game, show the list of games.
on("gone", () => shown === "play" && showView("games"));
on("game", () => shown === "play" && updateAddress());
on("head language", () => shown && updateTitle());

document.addEventListener("click", (event) => {
  const link = event.target.closest?.("#views [data-view]");
  if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  showView(link.dataset.view);
});

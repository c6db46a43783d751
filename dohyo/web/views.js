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
  address();
  scrollTo({ top: 0 });
}

function address() {
  const hash = shown === "play" && state.game ? `#game=${state.game.id}` : `#${shown}`;
  if (location.hash !== hash) history.replaceState(null, "", hash);
  const title = shown === "play" && state.game ? state.game.players.map((player) => playerName(player.name) || word(player.kind)).join(" – ") : word(`view.${shown}`);
  document.title = `${title} · dohyo`;
}

// Without a game the others are to be seen.
on("gone", () => shown === "play" && showView("games"));
on("game head language", () => shown && address());

document.addEventListener("click", (event) => {
  const link = event.target.closest?.("#views [data-view]");
  if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  showView(link.dataset.view);
});

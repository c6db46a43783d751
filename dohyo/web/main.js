// Entry point of the page. Each module adds its own commands and draws its own part.

import "./play.js";
import "./analysis.js";
import "./moves.js";
import "./graph.js";
import "./review.js";
import "./editor.js";
import "./watch.js";
import "./keyboard.js";
import "./preferences.js";
import { byId } from "./dom.js";
import { openLink } from "./exchange.js";
import { openGame } from "./gamelist.js";
import { placeIcons } from "./icons.js";
import { receive, wantedGame } from "./session.js";
import { applySettings, settings } from "./settings.js";
import { openSetup } from "./setup.js";
import { connect, send } from "./socket.js";
import { on, state, emit } from "./state.js";
import { showError } from "./toast.js";
import { isView, updateAddress, showView } from "./views.js";
import { chooseLanguage, language } from "./words.js";

applySettings();
chooseLanguage(settings.language);
placeIcons(document);

on("settings", (changes) => {
  if (!("language" in changes)) return;
  chooseLanguage(settings.language);
  emit("language");
  // The server sends the game again, with names in the new language.
  send({ do: "hello", lang: language() });
});

let isFirst = true;

/** Opens the position, game or view that the address names, and returns whether it names one. */
async function followAddress() {
  if (await openLink()) return true;
  const { hash } = location;
  const target = hash.slice(1);
  const id = new URLSearchParams(target).get("game");
  if (id) await openGame(id);
  // The address may have changed in the meantime.
  if (location.hash === hash && (id || isView(target))) showView(id ? "play" : target);
  return Boolean(id) || isView(target);
}

/** Opens what the address names, else the last game, else the form for a new game. */
async function showInitialView() {
  if (location.hash !== "#play" && (await followAddress())) return;
  const [last] = state.games;
  if (last) await openGame(last.id);
  showView("play");
  if (!last) openSetup();
}

on("games", () => {
  if (!isFirst) return;
  isFirst = false;
  showInitialView().catch((error) => {
    showError(error);
    showView("games");
  });
});

addEventListener("hashchange", () => {
  // If the address names nothing known, restore that of the current view.
  followAddress()
    .catch(showError)
    .then((isShown) => isShown || updateAddress());
});

connect({
  opened() {
    byId("offline").hidden = true;
    send({ do: "hello", lang: language() });
    // Fetch the game again after a lost connection.
    if (!isFirst && wantedGame() !== null) openGame(wantedGame()).catch(showError);
  },
  closed() {
    byId("offline").hidden = false;
  },
  received: receive,
});

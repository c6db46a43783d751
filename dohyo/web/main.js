// The page of dohyo: puts its parts together. Each module adds its own commands and shows its own part.

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
import { apply, settings } from "./settings.js";
import { openSetup } from "./setup.js";
import { connect, send } from "./socket.js";
import { on, state, tell } from "./state.js";
import { complain } from "./toast.js";
import { isView, nameAddress, showView } from "./views.js";
import { chooseLanguage, language } from "./words.js";

apply();
chooseLanguage(settings.language);
placeIcons(document);

on("settings", (changes) => {
  if (!("language" in changes)) return;
  chooseLanguage(settings.language);
  tell("language");
  // The game comes again, with its names in that language.
  send({ do: "hello", lang: language() });
});

let isFirst = true;

/** Shows what the address asks for: a position, a game, a view. Whether it asks for one. */
async function follow() {
  if (await openLink()) return true;
  const { hash } = location;
  const asked = hash.slice(1);
  const id = new URLSearchParams(asked).get("game");
  if (id) await openGame(id);
  // Meanwhile the address may ask for something else.
  if (location.hash === hash && (id || isView(asked))) showView(id ? "play" : asked);
  return Boolean(id) || isView(asked);
}

/** Shows what the address asks for; where it says nothing, the last game, and at the first visit the form of a new one. */
async function begin() {
  if (location.hash !== "#play" && (await follow())) return;
  const [last] = state.games;
  if (last) await openGame(last.id);
  showView("play");
  if (!last) openSetup();
}

on("games", () => {
  if (!isFirst) return;
  isFirst = false;
  begin().catch((error) => {
    complain(error);
    showView("games");
  });
});

addEventListener("hashchange", () => {
  // Where there is no such thing, the address names again what is shown.
  follow().catch(complain).then((isShown) => isShown || nameAddress());
});

connect({
  opened() {
    byId("offline").hidden = true;
    send({ do: "hello", lang: language() });
    // After a lost connection the game is told anew.
    if (!isFirst && wantedGame() !== null) openGame(wantedGame()).catch(complain);
  },
  closed() {
    byId("offline").hidden = false;
  },
  received: receive,
});


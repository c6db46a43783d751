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
import { showView } from "./views.js";
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

/** Shows what the address asks for; at the first visit, the form of a new game. */
async function begin() {
  const asked = location.hash.slice(1);
  if (await openLink()) return;
  const id = new URLSearchParams(asked).get("game");
  const game = state.games.find((it) => String(it.id) === id) ?? (["games", "editor", "watch"].includes(asked) ? null : state.games[0]);
  if (game) await openGame(game.id);
  if (["games", "editor", "watch"].includes(asked)) return showView(asked);
  showView("play");
  if (!game) openSetup();
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
  const asked = location.hash.slice(1);
  const id = new URLSearchParams(asked).get("game");
  const game = id && state.games.find((it) => String(it.id) === id);
  if (game) openGame(game.id).then(() => showView("play"), complain);
  else if (asked.startsWith("position=")) openLink().catch(complain);
  else if (byId(asked)?.classList.contains("view")) showView(asked);
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


// The list of stored games. A click opens a game; deleting asks for confirmation.

import { confirm } from "./dialogs.js";
import { byId, make, markCurrent } from "./dom.js";
import { icon } from "./icons.js";
import { requestGame } from "./session.js";
import { titleOf } from "./setup.js";
import { request } from "./socket.js";
import { on, state } from "./state.js";
import { showError } from "./toast.js";
import { showView } from "./views.js";
import { language, playerName, plies, word } from "./words.js";

/** Number of games shown at first and added by each click on "Show more". */
const PAGE_SIZE = 100;
let shown = PAGE_SIZE;

function show() {
  const { games } = state;
  byId("games-none").hidden = games.length > 0;
  byId("games-list").replaceChildren(...games.slice(0, shown).map(row));
  byId("games-more").hidden = games.length <= shown;
  byId("games-more").textContent = word("games.more", { n: games.length - shown });
}

function row(game) {
  const names = game.players.map((name) => playerName(name) || word("person"));
  const when = game.changed
    ? new Intl.DateTimeFormat(language(), { dateStyle: "medium", timeStyle: "short" }).format(
        game.changed,
      )
    : "";
  const item = make(
    "li",
    {},
    make(
      "button",
      { type: "button", class: "open", data: { open: game.id } },
      make(
        "span",
        { class: "players" },
        make("span", { class: "disc disc-0" }),
        make("bdi", { title: names[0], text: names[0] }),
        " – ",
        make("span", { class: "disc disc-1" }),
        make("bdi", { title: names[1], text: names[1] }),
      ),
      make("span", {
        class: "result",
        text: game.result && game.result !== "*" ? game.result : "…",
      }),
      make(
        "small",
        { class: "muted" },
        [game.title, titleOf(game.variant), plies(game.plies), when].filter(Boolean).join(" · "),
      ),
    ),
    make(
      "button",
      {
        type: "button",
        class: "plain",
        data: { remove: game.id },
        "aria-label": word("delete"),
        title: word("delete"),
      },
      icon("bin"),
    ),
  );
  markCurrent(item, game.id === state.game?.id);
  return item;
}

/** Opens a stored game. */
export async function openGame(id) {
  await requestGame({ do: "open", game: id }, id);
}

byId("games-list").addEventListener("click", async ({ target }) => {
  const { open, remove } = target.closest("button")?.dataset ?? {};
  const idOf = (text) => state.games.find((game) => String(game.id) === text)?.id;
  try {
    if (open) {
      await openGame(idOf(open));
      showView("play");
    }
    if (remove && (await confirm(word("delete.sure"), word("delete"))))
      await request({ do: "delete", game: idOf(remove) });
  } catch (error) {
    showError(error);
  }
});
byId("games-more").addEventListener("click", () => {
  shown += PAGE_SIZE;
  show();
});

on("games game language welcome", show);

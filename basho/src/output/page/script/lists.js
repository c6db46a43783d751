// Paged lists of games and openings.

const ROWS = 25;

/**
 * Creates a paged list in the elements whose ids begin with `id`. `rowOf` makes the row of an item.
 */
function listIn(id, none, rowOf) {
  let items = [];
  let first = 0;
  const [body, page, newer, older] = ["rows", "page", "newer", "older"].map((part) =>
    byId(`${id}-${part}`),
  );
  const draw = () => {
    body.replaceChildren(...items.slice(first, first + ROWS).map(rowOf));
    const last = Math.min(first + ROWS, items.length);
    page.textContent = items.length ? `${first + 1} to ${last} of ${items.length}` : none;
    newer.disabled = first === 0;
    older.disabled = last === items.length;
    newer.parentElement.hidden = items.length > 0 && items.length <= ROWS;
  };
  const turn = (rows) => () => {
    first = Math.max(0, first + rows);
    draw();
  };
  newer.addEventListener("click", turn(-ROWS));
  older.addEventListener("click", turn(ROWS));
  return {
    items: () => items,
    show(all) {
      items = all;
      first = 0;
      draw();
    },
  };
}

const number = (text) => make("td", String(text), { className: "number" });
const nameOf = (engine) => {
  const cell = make("td");
  cell.append(make("bdi", names[engine]));
  return cell;
};

const gameList = listIn("games", "no such game", (place) => {
  const game = games[place];
  const row = make("tr");
  const button = make("button", String(game.number), { type: "button" });
  button.setAttribute("aria-label", `Show game ${game.number}`);
  button.dataset.place = place;
  const first = number("");
  first.append(button);
  const reason = make("td", game.reason, { className: "wide" });
  row.append(
    first,
    nameOf(game.black),
    nameOf(game.white),
    make("td", game.result),
    reason,
    number(game.plies),
    number(game.errors || ""),
  );
  mark(row, place === shown.place);
  return row;
});

function markRow() {
  for (const row of byId("games-rows").rows)
    mark(row, row.querySelector("button").dataset.place === String(shown.place));
}

/** The filters of the game list. Their ids are also their names in the address. */
const FILTERS = ["engine", "against", "kind", "opening", "number"];

function filter() {
  const [engine, against, kind, opening, from] = FILTERS.map((id) => byId(id).value);
  const plays = (game, wanted) =>
    wanted === "" || game.black === Number(wanted) || game.white === Number(wanted);
  const fits = (game) =>
    plays(game, engine) &&
    plays(game, against) &&
    (engine === "" || engine !== against) &&
    (kind === "" ||
      (kind === "fault"
        ? !["normal", "resignation"].includes(game.reason)
        : kind === "error"
          ? game.errors > 0
          : game.result === kind)) &&
    (opening === "" || game.opening + 1 === Number(opening)) &&
    (from === "" || game.number >= Number(from));
  gameList.show(games.flatMap((game, place) => (fits(game) ? [place] : [])));
  const count = gameList.items().length;
  byId("saved").textContent =
    `${count === games.length ? "all" : "the"} ${count} game${count === 1 ? "" : "s"}`;
  for (const id of ["save-records", "save-sheets"]) byId(id).disabled = count === 0;
}

async function saveListed(isSheets) {
  byId("saved").textContent = "being prepared …";
  const parts = await textOf(gameList.items(), isSheets);
  filter();
  save(isSheets ? `${variant}-sheets.txt` : `${variant}-games.jsonl`, parts);
}

// Results by opening.

const openingResults = openings.map((opening, place) => ({
  ...opening,
  number: place + 1,
  games: 0,
  black: 0,
  drawn: 0,
  white: 0,
}));
for (const { opening, result } of games) {
  openingResults[opening].games++;
  openingResults[opening][{ "1-0": "black", "0-1": "white" }[result] ?? "drawn"]++;
}

const openingList = listIn("openings", "no games", (opening) => {
  const row = make("tr");
  const link = make("a", String(opening.number), { href: `#opening=${opening.number}` });
  link.setAttribute("aria-label", `Games of opening ${opening.number}`);
  const first = number("");
  first.append(link);
  const what = make("td", "", { className: "opening" });
  if (opening.moves) what.append(make("span", opening.moves, { className: "ply" }), " ");
  what.append(opening.start ? make("code", opening.start) : opening.moves ? "" : "the usual start");
  const { black, drawn, white } = opening;
  row.append(
    first,
    what,
    number(opening.games),
    number(black),
    number(drawn),
    number(white),
    number(opening.games ? ((100 * (black + drawn / 2)) / opening.games).toFixed(1) : "–"),
  );
  for (const wide of [2, 4]) row.cells[wide].classList.add("wide");
  return row;
});

/** Summarises how often the same player won every game from an opening. */
function openingsSummary() {
  const several = openingResults.filter((opening) => opening.games > 1);
  const always = (player) => several.filter((opening) => opening[player] === opening.games).length;
  const [black, white] = [always("black"), always("white")];
  const rest = several.length - black - white;
  const outcomes = `Black won all games of ${black}, White of ${white}, and ${rest} were split`;
  const all = openingResults.length;
  return `${all} different; of ${several.length} played more than once, ${outcomes}.`;
}

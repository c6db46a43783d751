// The viewer: a game on the board with its graph and score sheet.

let shown = { place: -1, game: null, ply: -1, stage: null, graph: null, address: 0 };
/** Number of the latest request. A game that unpacks late must not replace a later one. */
let requests = 0;

const playerName = (turn) => (turn === 0 ? "Black" : "White");
const turnBefore = (game, ply) => (ply === 0 ? game.start : game.plies[ply - 1])[0];

/** Shows a game. With `updatesAddress`, the address names it. */
async function open(place, ply, updatesAddress = true) {
  const request = ++requests;
  const game = await load(place);
  if (request !== requests) return;
  if (shown.stage) shown.stage.element.hidden = true;
  clearTimeout(shown.address);
  shown = {
    place,
    game,
    ply: -1,
    stage: stageOf(document.querySelector(`[data-stage="${game.stage}"]`)),
    graph: null,
    address: 0,
  };
  shown.stage.element.hidden = false;
  byId("viewer").hidden = false;
  const [black, white] = [game.black, game.white].map((engine) => make("bdi", names[engine]));
  byId("players").replaceChildren(
    `Game ${game.game}: `,
    black,
    " (Black) – ",
    white,
    ` (White) ${game.result}`,
  );
  byId("detail").textContent = game.detail;
  byId("stderr").textContent = (game.stderr ?? []).join("\n");
  byId("stderr").hidden = !game.stderr;
  byId("sheet").replaceChildren(sheetOf(game));
  byId("ply").max = game.plies.length;
  byId("graph").hidden = game.scores.every((score) => score === null);
  byId("legend").replaceChildren(...legendOf(game));
  drawGraph();
  goTo(ply, updatesAddress);
  markRow();
}

function legendOf(game) {
  const engines = [game.black, game.white];
  return linesOf(game).flatMap((line, turn) => {
    if (line.length === 0) return [];
    const item = make("li");
    const stroke = draw("svg", { viewBox: "0 0 28 8", "aria-hidden": "true" });
    stroke.append(draw("line", { class: `line reported-${turn}`, x1: 0, x2: 28, y1: 4, y2: 4 }));
    item.append(
      stroke,
      "Black's win probability according to ",
      make("bdi", names[engines[turn]]),
      ` (${playerName(turn)})`,
    );
    return [item];
  });
}

function drawGraph() {
  if (!shown.game || byId("graph").hidden) return;
  shown.graph = graphOf(shown.game, byId("plot").clientWidth);
  byId("plot").replaceChildren(shown.graph.svg);
  shown.graph.show(Math.max(0, shown.ply));
}

function goTo(wanted, updatesAddress = true) {
  const { game, stage } = shown;
  const ply = Math.max(0, Math.trunc(Math.min(game.plies.length, wanted)));
  // Step forward from the current ply, or start from the beginning to go back.
  const from = ply >= shown.ply && shown.ply >= 0 ? shown.ply : 0;
  if (from === 0) change(stage, game.start);
  for (let i = from; i < ply; i++) change(stage, game.plies[i]);
  shown.ply = ply;
  shown.graph?.show(ply);
  byId("ply").value = ply;
  byId("status").textContent = status(game, ply);
  const points = game.points.filter(([after]) => after <= ply).at(-1)?.[1];
  byId("points").textContent = points ? `Black ${points[0]} – ${points[1]} White` : "";
  byId("first").disabled = byId("back").disabled = ply === 0;
  byId("last").disabled = byId("forward").disabled = ply === game.plies.length;
  mark(byId("sheet").querySelector("[aria-current]"), false);
  const cell = byId("sheet").querySelector(`[data-ply="${ply}"]`);
  mark(cell, true);
  if (cell) scrollWithin(byId("sheet"), cell);
  else byId("sheet").scrollTop = 0;
  // Browsers limit how often a page may change its address.
  clearTimeout(shown.address);
  if (updatesAddress)
    shown.address = setTimeout(
      () => history.replaceState(null, "", `#game=${game.game}&ply=${ply}`),
      300,
    );
}

/** Scrolls the box without scrolling the page. */
function scrollWithin(box, element) {
  const [outer, inner] = [box.getBoundingClientRect(), element.getBoundingClientRect()];
  box.scrollTop += inner.top - outer.top - (outer.height - inner.height) / 2;
}

/** The figures of a ply: Black's chance, score, time, and the error if it was one. */
function figuresOf(game, ply) {
  const own = ply - 1 - game.opening;
  if (own < 0) return { parts: ["opening"] };
  const [reported, move, drop] = [game.scores[own], game.moves[own], game.drops.get(ply)];
  const wins = reported?.score.startsWith("#");
  const took = move?.ms !== undefined && time(move.ms);
  return {
    drop,
    chance: reported && (wins ? reported.score : percent(reported.chance)),
    time: took,
    parts: [
      reported && (wins ? winOf(reported.score) : chanceOf(reported)),
      took,
      move?.nodes !== undefined && `${move.nodes} nodes`,
      drop && dropText(drop),
    ],
  };
}

const chanceOf = ({ chance, score }) => `Black's win probability ${percent(chance)} (${score})`;

function winOf(score) {
  const moves = Number(score.slice(1));
  return `${playerName(moves > 0 ? 0 : 1)} wins in ${Math.abs(moves)}`;
}

function status(game, ply) {
  const turn = turnBefore(game, ply);
  const next =
    turn === NO_PLAYER
      ? "the game is over"
      : ply === game.plies.length
        ? game.detail
        : `${playerName(turn)} to move`;
  const name = byId("sheet").querySelector(`[data-ply="${ply}"]`)?.dataset.name ?? "";
  const played =
    ply > 0
      ? [`${playerName(turnBefore(game, ply - 1))} ${name}`, ...figuresOf(game, ply).parts]
      : [];
  return [`Ply ${ply} of ${game.plies.length}`, ...played, next].filter(Boolean).join(" · ");
}

/** The score sheet as a table, with chances and times. */
function sheetOf(game) {
  const table = make("table");
  table.append(
    make("caption", "Score sheet with Black's win probability and the time of each move", {
      className: "unseen",
    }),
  );
  const head = table.createTHead().insertRow();
  head.append(
    make("td"),
    make("th", "Black", { scope: "col" }),
    make("th", "White", { scope: "col" }),
  );
  const body = table.createTBody();
  let ply = 0;
  for (const { number, plies, words } of [
    ...game.body,
    ...(game.reason === "normal" ? [] : [{ words: game.detail }]),
  ]) {
    const row = body.insertRow();
    if (words) {
      row.className = "note";
      row.append(make("td", words, { colSpan: 3 }));
      continue;
    }
    row.append(make("td", number));
    for (const name of [0, 1].map((column) => plies[column] ?? "")) {
      const cell = make("td");
      if (name) cell.append(plyOf(game, ++ply, name));
      row.append(cell);
    }
  }
  return table;
}

function plyOf(game, ply, name) {
  const { drop, chance, time } = figuresOf(game, ply);
  const button = make("button", "", {
    type: "button",
    className: ply <= game.opening ? "book" : "",
  });
  Object.assign(button.dataset, { ply, name });
  button.append(make("span", name, { className: "ply" }));
  if (drop)
    button.append(" ", make("b", signOf(drop), { title: dropText(drop), className: "drop" }));
  button.append(" ", make("small", [chance, time].filter(Boolean).join(" · ")));
  return button;
}

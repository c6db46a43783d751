// Heat maps: where rounds were won, by which pieces, and where moves went.

const WIN = 1;

/** Sums of `count` by key. */
function countBy(rows, key) {
  const counts = new Map();
  for (const row of rows) counts.set(key(row), (counts.get(key(row)) ?? 0) + row.count);
  return counts;
}

const events = eventRows.map(([stage, engine, player, event, piece, place, count]) => ({
  stage,
  engine,
  player,
  event,
  piece,
  place,
  count,
}));

function drawPlaces() {
  const [event, engine, player, stage] = [
    "place-event",
    "place-engine",
    "place-player",
    "place-stage",
  ].map((id) => byId(id).value);
  const fits = (row) =>
    row.event === Number(event) &&
    row.stage === Number(stage) &&
    (engine === "" || row.engine === Number(engine)) &&
    (player === "" || row.player === Number(player));
  const rows = events.filter(fits);
  const source = document.querySelector(`[data-stage="${stage}"] svg`);
  const counts = countBy(rows, (row) => row.place);
  const total = rows.reduce((sum, row) => sum + row.count, 0);
  byId("place-map").replaceChildren(mapOf(source, counts, total));
  const most = [...counts].sort((one, other) => other[1] - one[1]).slice(0, 5);
  const nameOfPlace = (place) =>
    source.querySelector(`[data-place="${place}"]`)?.dataset.name ?? "?";
  const list = most
    .map(([place, count]) => `${nameOfPlace(place)} ${count} (${share(count, total)})`)
    .join(", ");
  byId("place-summary").textContent = total ? `${total} in all; most on ${list}.` : "None.";
  const titles = [...countBy(rows, (row) => row.piece)].flatMap(([piece, count]) => {
    const title = source.querySelector(`[data-piece="${piece}"] > title`)?.textContent;
    return title ? [[title, count]] : [];
  });
  const showsPieces = event === String(WIN) && titles.length > 0;
  byId("place-pieces").hidden = !showsPieces;
  byId("place-rows").replaceChildren(
    ...titles
      .sort((one, other) => other[1] - one[1])
      .map(([title, count]) => {
        const row = make("tr");
        row.append(make("th", title, { scope: "row" }), number(count), number(share(count, total)));
        return row;
      }),
  );
}

/** The empty board with a disc on each place. The area of a disc is proportional to its count. */
function mapOf(source, counts, total) {
  const map = source.cloneNode(true);
  for (const element of map.querySelectorAll("[data-piece], [data-mark]")) element.remove();
  map.querySelector("title").textContent = "Map of the board";
  map.querySelector("desc").textContent = "The places with the highest numbers are named below.";
  const most = Math.max(1, ...counts.values());
  for (const place of map.querySelectorAll("[data-place]")) {
    place.setAttribute("opacity", "0.45");
    const count = counts.get(Number(place.dataset.place));
    if (!count) continue;
    const shape = place.querySelector("rect");
    const middle = shape ? Number(shape.getAttribute("width")) / 2 : 0;
    const spot = draw("g", { transform: place.getAttribute("transform"), class: "spot" });
    spot.append(draw("circle", { cx: middle, cy: middle, r: 5 + 20 * Math.sqrt(count / most) }));
    spot.append(
      draw("text", { x: middle, y: middle + 4.5 }, String(count)),
      draw("title", {}, `${place.dataset.name}: ${count} (${share(count, total)})`),
    );
    map.append(spot);
  }
  return map;
}

// User input and the page's address.

const scrollTo = (id) => byId(id).scrollIntoView();

/** Opens the ply or filters the games that the address names. Returns whether it names a game. */
function follow() {
  const address = new URLSearchParams(location.hash.slice(1));
  const place = games.findIndex((game) => game.number === Number(address.get("game")));
  if (place >= 0) {
    open(place, Number(address.get("ply")) || 0).then(() => scrollTo("games"));
    return true;
  }
  if (FILTERS.some((id) => address.has(id))) {
    for (const id of FILTERS) byId(id).value = address.get(id) ?? "";
    filter();
    scrollTo("list");
  }
  return false;
}

const steps = {
  first: () => 0,
  back: () => shown.ply - 1,
  forward: () => shown.ply + 1,
  last: () => Infinity,
};
for (const [id, target] of Object.entries(steps))
  byId(id).addEventListener("click", () => goTo(target()));
byId("ply").addEventListener("input", (event) => goTo(Number(event.target.value)));
byId("sheet").addEventListener("click", (event) => {
  const ply = event.target.closest("[data-ply]")?.dataset.ply;
  if (ply) goTo(Number(ply));
});
for (const kind of ["pointerdown", "pointermove"]) {
  byId("plot").addEventListener(kind, (event) => {
    if (event.buttons === 1 && shown.graph)
      goTo(shown.graph.plyAt(event.clientX - byId("plot").getBoundingClientRect().left));
  });
}
new ResizeObserver(drawGraph).observe(byId("plot"));
byId("games-rows").addEventListener("click", (event) => {
  if (!event.target.dataset.place) return;
  open(Number(event.target.dataset.place), 0).then(() => {
    scrollTo("games");
    // Move the focus, so that the arrow keys step through the game.
    byId("sheet").focus({ preventScroll: true });
  });
});
for (const id of FILTERS) byId(id).addEventListener("input", filter);
byId("save-records").addEventListener("click", () => saveListed(false));
byId("save-sheets").addEventListener("click", () => saveListed(true));
const keys = { ArrowLeft: "back", ArrowRight: "forward", Home: "first", End: "last" };
document.addEventListener("keydown", (event) => {
  const step = keys[event.key];
  const isTyping = event.target.closest("input, select, .scroll:not(.sheet)");
  // Home and End scroll the page unless the focus is in the viewer.
  const isOurs = event.key.startsWith("Arrow") || event.target.closest("#viewer");
  if (!step || !shown.game || isTyping || !isOurs || event.ctrlKey || event.altKey || event.metaKey)
    return;
  event.preventDefault();
  goTo(steps[step]());
});

const THEMES = ["automatic", "light", "dark"];
let theme = 0;
byId("theme").hidden = false;
byId("theme").addEventListener("click", () => {
  theme = (theme + 1) % THEMES.length;
  if (theme === 0) delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = THEMES[theme];
  byId("theme").textContent = `Theme: ${THEMES[theme]}`;
});

if (games.length) {
  for (const id of ["engine", "against", "place-engine"]) {
    names.forEach((name, engine) =>
      byId(id)?.append(make("option", name, { value: String(engine) })),
    );
  }
  byId("list").hidden = false;
  filter();
  openingList.show(
    openingResults.sort((one, other) => other.games - one.games || one.number - other.number),
  );
  byId("openings").hidden = false;
  byId("openings-summary").textContent = openingsSummary();
  if (byId("places")) {
    document
      .querySelectorAll("[data-stage]")
      .forEach((_, stage) =>
        byId("place-stage").append(make("option", `board ${stage + 1}`, { value: String(stage) })),
      );
    byId("place-stage").parentElement.hidden = byId("place-stage").options.length < 2;
    for (const id of ["place-event", "place-engine", "place-player", "place-stage"])
      byId(id).addEventListener("input", drawPlaces);
    byId("places").hidden = false;
    drawPlaces();
  }
  if (!follow()) open(0, 0, false);
  addEventListener("hashchange", follow);
}

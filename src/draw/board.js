// Shows scenes on a stage, the board that `Draw::stage` draws: every piece is put where the scene says, by the transform of that place.
// It knows no game.

/** A stage, and its elements by the numbers of places and pieces and by the kinds of marks. `svg` is the drawing or what holds it. */
export function stageOf(svg) {
  const elements = (name) => new Map([...svg.querySelectorAll(`[data-${name}]`)].map((it) => [it.dataset[name], it]));
  return { element: svg, places: elements("place"), pieces: elements("piece"), marks: elements("mark") };
}

/**
 * Changes what a stage shows: whose turn it is, which no stage shows; the places called, left and gone to, where no place has the
 * number -1; then piece, place and level of every piece that has changed.
 */
export function change(stage, [, called, from, to, ...pieces]) {
  for (const [kind, place] of Object.entries({ called, from, to })) {
    if (stage.marks.has(kind)) put(stage, stage.marks.get(kind), place);
  }
  for (let i = 0; i < pieces.length; i += 3) {
    const piece = stage.pieces.get(String(pieces[i]));
    put(stage, piece, pieces[i + 1]);
    for (const look of piece.querySelectorAll("[data-level]")) show(look, look.dataset.level === String(pieces[i + 2]));
  }
}

/** Shows a whole scene: `pieces` are pairs of place and level in the order of their numbers, the marks are places or null. */
export function showScene(stage, { pieces, from = null, to = null, called = null }) {
  const marks = [called, from, to].map((place) => place ?? -1);
  change(stage, [null, ...marks, ...pieces.flatMap(([place, level], piece) => [piece, place, level])]);
}

function put(stage, element, place) {
  const at = stage.places.get(String(place));
  if (at) element.setAttribute("transform", at.getAttribute("transform"));
  show(element, Boolean(at));
}

function show(element, isShown) {
  if (isShown) element.removeAttribute("display");
  else element.setAttribute("display", "none");
}

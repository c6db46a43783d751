// Shows scenes on a stage, the board drawn by `Draw::stage`. Each piece gets the transform of its
// place. No game is known here.

/**
 * Collects the places, pieces and marks of a stage. `svg` is the drawing or an element that
 * contains it.
 */
export function stageOf(svg) {
  const elements = (name) =>
    new Map([...svg.querySelectorAll(`[data-${name}]`)].map((it) => [it.dataset[name], it]));
  return {
    element: svg,
    places: elements("place"),
    pieces: elements("piece"),
    marks: elements("mark"),
  };
}

/**
 * Applies a change: side to move (not shown), the places called, left and reached (or -1),
 * then piece, place and level of each changed piece.
 */
export function change(stage, [, called, from, to, ...pieces]) {
  for (const [kind, place] of Object.entries({ called, from, to })) {
    if (stage.marks.has(kind)) put(stage, stage.marks.get(kind), place);
  }
  for (let i = 0; i < pieces.length; i += 3) {
    const piece = stage.pieces.get(String(pieces[i]));
    put(stage, piece, pieces[i + 1]);
    for (const look of piece.querySelectorAll("[data-level]"))
      show(look, look.dataset.level === String(pieces[i + 2]));
  }
}

/** Shows a whole scene: `pieces` are `[place, level]` by piece number; marks are places or null. */
export function showScene(stage, { pieces, from = null, to = null, called = null }) {
  const marks = [called, from, to].map((place) => place ?? -1);
  change(stage, [
    null,
    ...marks,
    ...pieces.flatMap(([place, level], piece) => [piece, place, level]),
  ]);
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

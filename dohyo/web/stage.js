// Stages: drawings of a board with its places and pieces, and small pictures made from them.

import { showScene, stageOf } from "./board.js";
import { draw, make, parseDrawing } from "./dom.js";

/** The translation of an element, `[x, y]`. */
export const translation = (element) =>
  (element.getAttribute("transform")?.match(/-?[\d.]+/g) ?? [0, 0]).map(Number);

/**
 * The centre of a place in its own coordinates. Squares are drawn from a corner, cells around their
 * centre.
 */
export function middleOf(place) {
  const square = place.querySelector("rect");
  return square
    ? [Number(square.getAttribute("width")) / 2, Number(square.getAttribute("height")) / 2]
    : [0, 0];
}

/** Rotates a stage by 180 degrees and keeps its contents upright. */
function turnAround(svg) {
  const { width, height } = svg.viewBox.baseVal;
  for (const place of svg.querySelectorAll("[data-place]")) {
    const [x, y] = translation(place);
    const [dx, dy] = middleOf(place);
    place.setAttribute("transform", `translate(${width - x - 2 * dx} ${height - y - 2 * dy})`);
  }
  for (const label of svg.querySelectorAll(":scope > text")) {
    label.setAttribute("x", width - Number(label.getAttribute("x")));
    label.setAttribute("y", height - Number(label.getAttribute("y")));
  }
}

/** Parses a stage. */
export function stageFrom(text, isFlipped = false) {
  const svg = parseDrawing(text);
  svg.removeAttribute("width");
  svg.removeAttribute("height");
  if (isFlipped) turnAround(svg);
  return stageOf(svg);
}

/** A board without interaction. */
export function miniature(text, scene, isFlipped) {
  const stage = stageFrom(text, isFlipped);
  stage.element.setAttribute("aria-hidden", "true");
  stage.element.classList.add("still");
  showScene(stage, scene);
  return stage.element;
}

/**
 * A small picture of the pieces of a scene for which `isWanted` returns true, or null without such
 * pieces.
 */
export function pieceIcon(stage, scene, isWanted) {
  const numbers = scene.pieces
    .map((piece, number) => [...piece, number])
    .filter(([place, level, number]) => isWanted(place, level, number));
  if (!numbers.length) return null;
  const place = stage.places.values().next().value;
  const [dx, dy] = place ? middleOf(place) : [0, 0];
  const svg = draw("svg", {
    class: "piece",
    viewBox: `${dx - 26} ${dy - 31} 52 60`,
    "aria-hidden": "true",
  });
  for (const name of ["font-family", "font-weight", "text-anchor"])
    svg.setAttribute(name, stage.element.getAttribute(name) ?? "");
  for (const [, level, number] of numbers) {
    const copy = stage.pieces.get(String(number)).cloneNode(true);
    copy.removeAttribute("transform");
    copy.removeAttribute("display");
    copy.removeAttribute("class");
    delete copy.dataset.piece;
    for (const look of copy.querySelectorAll("[data-level]")) {
      if (look.dataset.level === String(level)) look.removeAttribute("display");
      else look.setAttribute("display", "none");
    }
    svg.append(copy);
  }
  return svg;
}

/** A floating box for a small board next to the pointer. */
export function previewBox(box) {
  return {
    show(element, { x, y }) {
      box.replaceChildren(element);
      box.hidden = false;
      const { width, height } = box.getBoundingClientRect();
      box.style.left = `${Math.max(8, Math.min(x + 16, innerWidth - width - 8))}px`;
      box.style.top = `${Math.max(8, Math.min(y + 16, innerHeight - height - 8))}px`;
    },
    hide() {
      box.hidden = true;
      box.replaceChildren(make("span"));
    },
  };
}

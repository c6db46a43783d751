// Elements of the page. Text goes in as text, never as markup.

export const byId = (id) => document.getElementById(id);

/**
 * An element. Of its properties `class`, `text`, `on` (listeners by event) and `data` are special; the others are attributes, and one
 * that is null or false is left out.
 */
export function make(tag, properties = {}, ...children) {
  return fill(document.createElement(tag), properties, children);
}

const SVG = "http://www.w3.org/2000/svg";

/** The same for a part of a drawing. */
export function draw(tag, properties = {}, ...children) {
  return fill(document.createElementNS(SVG, tag), properties, children);
}

function fill(element, { text, on = {}, data = {}, ...attributes }, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== null && value !== undefined && value !== false) element.setAttribute(name, value === true ? "" : String(value));
  }
  for (const [event, listener] of Object.entries(on)) element.addEventListener(event, listener);
  Object.assign(element.dataset, data);
  if (text !== undefined && text !== null) element.textContent = text;
  element.append(...children.filter((child) => child !== null && child !== undefined));
  return element;
}

/** A drawing that came as text; only the server's own stages and pictures are read so. */
export function parseDrawing(text) {
  const parsed = new DOMParser().parseFromString(text, "image/svg+xml");
  if (parsed.querySelector("parsererror")) throw new Error("the board cannot be read");
  return document.importNode(parsed.documentElement, true);
}

/** Marks the one element of a list that is current, for eyes and for screen readers. */
export function markCurrent(element, isCurrent) {
  if (isCurrent) element?.setAttribute("aria-current", "true");
  else element?.removeAttribute("aria-current");
}

/** Scrolls a box until one of its elements is in the middle, and leaves the page where it is. */
export function scrollWithin(box, element) {
  const [outer, inner] = [box.getBoundingClientRect(), element.getBoundingClientRect()];
  if (inner.top >= outer.top + 30 && inner.bottom <= outer.bottom - 30) return;
  box.scrollTop += inner.top - outer.top - (outer.height - inner.height) / 2;
}

/** Does a thing once before the next frame, however often it is asked for. */
export function oncePerFrame(work) {
  let asked = 0;
  return () => {
    cancelAnimationFrame(asked);
    asked = requestAnimationFrame(work);
  };
}

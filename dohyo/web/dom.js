// Helpers for elements. Text is always inserted as text, never as markup.

export const byId = (id) => document.getElementById(id);

/**
 * Creates an element. The properties `class`, `text`, `on` (listeners by event) and `data` are
 * special; all others become attributes. Null, undefined and false are left out.
 */
export function make(tag, properties = {}, ...children) {
  return fill(document.createElement(tag), properties, children);
}

const SVG = "http://www.w3.org/2000/svg";

/** Creates an SVG element, with the same properties as `make`. */
export function draw(tag, properties = {}, ...children) {
  return fill(document.createElementNS(SVG, tag), properties, children);
}

function fill(element, { text, on = {}, data = {}, ...attributes }, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== null && value !== undefined && value !== false)
      element.setAttribute(name, value === true ? "" : String(value));
  }
  for (const [event, listener] of Object.entries(on)) element.addEventListener(event, listener);
  Object.assign(element.dataset, data);
  if (text !== undefined && text !== null) element.textContent = text;
  element.append(...children.filter((child) => child !== null && child !== undefined));
  return element;
}

/** Parses an SVG drawing. Use it only for the server's own stages and pictures. */
export function parseDrawing(text) {
  const parsed = new DOMParser().parseFromString(text, "image/svg+xml");
  if (parsed.querySelector("parsererror")) throw new Error("invalid drawing of a board");
  return document.importNode(parsed.documentElement, true);
}

/** Marks an element as the current one of its list, for assistive technology too. */
export function markCurrent(element, isCurrent) {
  if (isCurrent) element?.setAttribute("aria-current", "true");
  else element?.removeAttribute("aria-current");
}

/** Scrolls a box until an element is in its middle. The page itself does not scroll. */
export function scrollWithin(box, element) {
  const [outer, inner] = [box.getBoundingClientRect(), element.getBoundingClientRect()];
  if (inner.top >= outer.top + 30 && inner.bottom <= outer.bottom - 30) return;
  box.scrollTop += inner.top - outer.top - (outer.height - inner.height) / 2;
}

/** Runs `work` once before the next frame, however often it is called. */
export function oncePerFrame(work) {
  let frame = 0;
  return () => {
    cancelAnimationFrame(frame);
    frame = requestAnimationFrame(work);
  };
}

// Helpers for elements and number formats, used by all parts of the page.

const byId = (id) => document.getElementById(id);
/** Creates an element with text, never markup. */
const make = (tag, text = "", properties = {}) =>
  Object.assign(document.createElement(tag), { textContent: text }, properties);
/** Creates an SVG element. */
const draw = (tag, attributes = {}, text = "") => {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.textContent = text;
  return element;
};

function mark(element, isCurrent) {
  if (isCurrent) element?.setAttribute("aria-current", "true");
  else element?.removeAttribute("aria-current");
}

const share = (part, whole) => (whole ? `${((100 * part) / whole).toFixed(1)} %` : "–");
const percent = (permille) => `${Math.round(permille / 10)} %`;
const time = (ms) =>
  ms < 10
    ? `${ms.toFixed(1)} ms`
    : ms < 1000
      ? `${ms.toFixed(0)} ms`
      : `${(ms / 1000).toFixed(ms < 10000 ? 2 : 1)} s`;

/** Downloads a text as a file. */
function save(name, parts) {
  const address = URL.createObjectURL(new Blob(parts, { type: "text/plain" }));
  make("a", "", { href: address, download: name }).click();
  // The browser reads the address only after this task.
  setTimeout(() => URL.revokeObjectURL(address), 60_000);
}

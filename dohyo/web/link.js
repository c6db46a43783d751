// Links that hold a position or a whole game in the fragment of the address.

/** Maximum length of the text in a link, so that a small link cannot fill the memory. */
const MAX_TEXT = 1 << 20;

/** The address of this page with another fragment. */
const withFragment = (name, value) => {
  const link = new URL(location.href);
  link.search = "";
  link.hash = `${name}=${value}`;
  return link.href;
};

/** A link to a position line. */
export const positionLink = (line) => withFragment("position", encodeURIComponent(line));

/** A link to a game, as a `position` command with all its moves. */
export const gameLink = async (command) => withFragment("moves", await compress(command));

/** The position line or the `position` command in the address, if there is one. */
export async function linkedStart() {
  const fragment = new URLSearchParams(location.hash.slice(1));
  const [position, moves] = [fragment.get("position"), fragment.get("moves")];
  if (moves !== null) return { command: await decompress(moves) };
  return position === null ? null : { position };
}

/** Compresses a text to letters that an address may contain. */
async function compress(text) {
  const bytes = new Blob([text]).stream().pipeThrough(new CompressionStream("deflate-raw"));
  const packed = new Uint8Array(await new Response(bytes).arrayBuffer());
  return btoa(String.fromCharCode(...packed))
    .replaceAll("+", "-")
    .replaceAll("/", "_")
    .replaceAll("=", "");
}

async function decompress(letters) {
  const packed = Uint8Array.from(
    atob(letters.replaceAll("-", "+").replaceAll("_", "/")),
    (letter) => letter.charCodeAt(0),
  );
  const bytes = new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
  const decoder = new TextDecoder();
  let text = "";
  for (const reader = bytes.getReader(); ; ) {
    const { done, value } = await reader.read();
    if (done) return text;
    text += decoder.decode(value, { stream: true });
    if (text.length > MAX_TEXT) throw new RangeError("the text is too long");
  }
}

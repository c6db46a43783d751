// Transcripts of protocol.md: lines `> COMMAND` and `< PATTERN`. Used in Node.js and in the page.

/** Transcripts of a document, each as its lines. */
export const transcripts = (document) =>
  [...document.matchAll(/^```transcript\n(.*?)^```/gms)].map(([, text]) =>
    text.trimEnd().split("\n"),
  );

/** Whether the line matches: `*` matches any word, a final `...` any rest. */
export function matches(pattern, line) {
  const parts = pattern.split("*").map((part) => part.replace(/[\\^$.|?+()[\]{}]/g, "\\$&"));
  const expression = parts.join("[^ ]+").replace(/\\\.\\\.\\\.$/, ".*");
  return new RegExp(`^${expression}$`).test(line);
}

/** Plays a transcript with an engine. `next` waits for its next line. Throws at a difference. */
export async function replay(transcript, send, next) {
  let isSkipping = false;
  for (const step of transcript) {
    const text = step.slice(2);
    if (step.startsWith("> ")) {
      send(text);
    } else if (text === "...") {
      isSkipping = true;
    } else {
      for (;;) {
        const line = await next();
        if (matches(text, line)) break;
        if (!isSkipping) throw new Error(`expected \`${text}\`, found \`${line}\``);
      }
      isSkipping = false;
    }
  }
}

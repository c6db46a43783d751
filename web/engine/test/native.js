// Dialogues with the program oshi.

import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { join, resolve } from "node:path";

const ROOT = fileURLToPath(new URL("../../..", import.meta.url));
/** The program; `OSHI_BUILD` names its folder, relative to the repository root. */
const PROGRAM = join(resolve(ROOT, process.env.OSHI_BUILD ?? "target/release"), "oshi");

export function startNative() {
  const child = spawn(PROGRAM, { stdio: ["pipe", "pipe", "ignore"] });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  /** Sends lines. Returns the answer up to the line that begins with `last`. */
  async function ask(sent, last) {
    child.stdin.write(sent.map((line) => `${line}\n`).join(""));
    const found = [];
    do {
      const { value, done } = await lines.next();
      if (done) throw new Error(`the output ends before \`${last}\``);
      found.push(value);
    } while (!found.at(-1).startsWith(last));
    return found;
  }
  return { pid: child.pid, ask, end: () => child.stdin.end() };
}

// Processor time of a search in the program and in the browsers, in turn: the least of some runs.
//
// Usage: PACKAGE=target/web node web/engine/test/speed.js [RUNS] on Linux.

import { readFileSync, readdirSync } from "node:fs";
import { resolve } from "node:path";
import { launch, serve } from "./browser.js";
import { startNative } from "./native.js";

const RUNS = Number(process.argv[2] ?? 5);
const SEARCH = "go nodes 300000";
/** Clock ticks per second in `/proc`. */
const TICKS = 100;

/** Processor time of a process and its descendants, in seconds. */
function processorTime(root) {
  const processes = new Map();
  for (const pid of readdirSync("/proc").filter((name) => /^\d+$/.test(name))) {
    try {
      const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ").at(-1).split(" ");
      const ticks = Number(fields[11]) + Number(fields[12]);
      processes.set(Number(pid), { parent: Number(fields[1]), ticks });
    } catch {
      // The process has ended.
    }
  }
  const isBelow = (pid) => pid === root || (processes.has(pid) && isBelow(processes.get(pid).parent));
  let ticks = 0;
  for (const [pid, process] of processes) if (isBelow(pid)) ticks += process.ticks;
  return ticks / TICKS;
}

const server = await serve(resolve(process.env.PACKAGE ?? "target/web"));
const engines = [];

const native = startNative();
engines.push({ name: "program", pid: native.pid, ask: native.ask });

const browsers = [];
for (const name of ["chrome", "firefox"]) {
  const browser = await launch(name);
  browsers.push(browser);
  for (const [kind, query] of [
    ["suspended", ""],
    ["asyncify", "?asyncify"],
  ]) {
    const page = await browser.newPage();
    await page.goto(`${server.url}test/page.html`);
    await page.waitForFunction(() => window.converse);
    await page.evaluate((query) => {
      window.ask = window.converse(query);
    }, query);
    engines.push({
      name: `${name}, ${kind}`,
      pid: browser.process().pid,
      ask: (lines, last) => page.evaluate((turns) => window.ask(turns), [{ lines, last }]),
    });
  }
}

const best = new Map();
for (let run = 0; run < RUNS; run += 1) {
  for (const { name, pid, ask } of engines) {
    await ask(["ucinewgame", "isready"], "readyok");
    const began = processorTime(pid);
    await ask([SEARCH], "bestmove");
    const seconds = processorTime(pid) - began;
    best.set(name, Math.min(seconds, best.get(name) ?? Infinity));
  }
}
const reference = best.get("program");
for (const [name, seconds] of best) {
  const share = Math.round((100 * reference) / seconds);
  console.log(`${name}: ${seconds.toFixed(2)} s, ${share} % of the program's speed`);
}
native.end();
await Promise.all(browsers.map((browser) => browser.close()));
server.close();

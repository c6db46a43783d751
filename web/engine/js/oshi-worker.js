// The engine as a worker. A message to it is a string of one or more lines of the protocol. Each
// message from it is one line, or an object:
//
// - `{ ready: true }`: the module is loaded. Lines may be sent before.
// - `{ quit: true }`: the engine has received `quit`, and the worker has closed.
// - `{ failure: MESSAGE }`: the engine has panicked or cannot be loaded. The worker has closed.

import init, { has_job, has_quit, receive } from "./oshi.js";
import { jobRunner, panicMessage, suspends } from "./host.js";

/** Texts that arrived before the module was loaded. */
let early = [];
let runJobs;
let isRunning = false;

function leave(message) {
  self.postMessage(message);
  self.close();
}

async function take(text) {
  try {
    receive(text);
    if (!isRunning && has_job()) {
      isRunning = true;
      await runJobs();
      isRunning = false;
    }
    if (has_quit()) leave({ quit: true });
  } catch (error) {
    leave({ failure: panicMessage() ?? String(error) });
  }
}

self.onmessage = ({ data }) => (early ? early.push(data) : take(data));

try {
  const name = suspends ? "./oshi_bg.wasm" : "./oshi_asyncify.wasm";
  runJobs = jobRunner(await init({ module_or_path: new URL(name, import.meta.url) }));
  self.postMessage({ ready: true });
  const texts = early;
  early = undefined;
  texts.forEach(take);
} catch (error) {
  leave({ failure: String(error) });
}

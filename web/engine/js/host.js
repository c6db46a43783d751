// Functions that the module imports, and the two ways to run a job that the module suspends.

/**
 * Whether the browser suspends the module (JavaScript Promise Integration). Otherwise a larger
 * module unwinds its own stack (Asyncify). The query `?asyncify` of the worker's address asks for
 * the latter.
 */
export const suspends =
  typeof WebAssembly.Suspending === "function" &&
  typeof WebAssembly.promising === "function" &&
  !new URLSearchParams(self.location.search).has("asyncify");

/** Size of the memory that holds the stack of a job during a pause of Asyncify, in pages. */
const STACK_PAGES = 4;
const PAGE_BYTES = 65_536;

/** States of Asyncify. */
const UNWINDING = 1;
const REWINDING = 2;

const channel = new MessageChannel();
let resume;
channel.port1.onmessage = () => resume();

/** Waits until the event loop has delivered the messages that wait. */
function turn() {
  return new Promise((resolve) => {
    resume = resolve;
    channel.port2.postMessage(null);
  });
}

let wasm;
/** Address of Asyncify's stack. */
let stack;

/** Unwinds the stack of the job, or ends its rewinding. */
function unwind() {
  if (wasm.asyncify_get_state() === REWINDING) {
    wasm.asyncify_stop_rewind();
  } else {
    wasm.asyncify_start_unwind(stack);
  }
}

async function runUnwinding() {
  wasm.run_jobs();
  while (wasm.asyncify_get_state() === UNWINDING) {
    wasm.asyncify_stop_unwind();
    await turn();
    wasm.asyncify_start_rewind(stack);
    wasm.run_jobs();
  }
}

/** Takes the exports of the module. Returns the function that runs its jobs. */
export function jobRunner(exports) {
  wasm = exports;
  if (suspends) return WebAssembly.promising(wasm.run_jobs);
  // Asyncify keeps its place and the end of its stack in the first two words.
  stack = wasm.memory.grow(STACK_PAGES) * PAGE_BYTES;
  new Uint32Array(wasm.memory.buffer, stack, 2).set([stack + 8, stack + STACK_PAGES * PAGE_BYTES]);
  return runUnwinding;
}

/** Import: suspends the job. */
export const pause = suspends ? new WebAssembly.Suspending(turn) : unwind;

/** Import: posts the lines of a text. */
export function print(text) {
  for (const line of text.split("\n").slice(0, -1)) self.postMessage(line);
}

let message;

/** Import: takes the message of a panic. The module traps next. */
export function panicked(text) {
  message = text;
}

/** The message of the panic that has ended the module, or `undefined`. */
export const panicMessage = () => message;

//! The functions of `web/page/worker.js` and of the browser.

use wasm_bindgen::JsValue;
use wasm_bindgen::prelude::wasm_bindgen;

#[wasm_bindgen]
extern "C" {
    /// Writes to the console.
    #[wasm_bindgen(js_namespace = console, js_name = error)]
    pub fn report(text: &str);

    /// Milliseconds since 1970.
    #[wasm_bindgen(js_namespace = Date, js_name = now)]
    pub fn unix_time() -> f64;

    /// Milliseconds on a clock that never goes back.
    #[wasm_bindgen(js_namespace = performance, js_name = now)]
    pub fn monotonic_time() -> f64;

    /// Calls a function after some milliseconds.
    #[wasm_bindgen(js_name = setTimeout)]
    pub fn set_timeout(call: JsValue, ms: f64);

    /// Random number of 64 bits.
    #[wasm_bindgen(js_namespace = boardHost)]
    pub fn random() -> u64;

    /// Local date of a time in milliseconds since 1970, as `2026-01-31`.
    #[wasm_bindgen(js_namespace = boardHost, js_name = localDate)]
    pub fn local_date(unix_ms: f64) -> String;

    /// Posts a message to a tab.
    #[wasm_bindgen(js_namespace = boardHost)]
    pub fn post(tab: u32, text: &str);

    /// Saves a game. `Board::saved` gets the result.
    #[wasm_bindgen(js_namespace = boardHost)]
    pub fn save(id: &str, text: &str);

    /// Removes a game.
    #[wasm_bindgen(js_namespace = boardHost)]
    pub fn remove(id: &str);

    /// Starts an engine in a worker of its own.
    #[wasm_bindgen(js_namespace = boardHost, js_name = startEngine)]
    pub fn start_engine(engine: u32);

    /// Sends a line to an engine.
    #[wasm_bindgen(js_namespace = boardHost, js_name = sendLine)]
    pub fn send_line(engine: u32, line: &str);

    /// Ends an engine.
    #[wasm_bindgen(js_namespace = boardHost, js_name = endEngine)]
    pub fn end_engine(engine: u32);

    /// Number of engines that may run at once.
    #[wasm_bindgen(js_namespace = boardHost, js_name = maxEngines)]
    pub fn max_engines() -> u32;
}

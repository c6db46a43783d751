// Plays tournaments with basho and writes their report pages.

import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

/** The repository root. */
export const ROOT = fileURLToPath(new URL("../../..", import.meta.url));
/** Folder of the programs, relative to the repository root. */
export const BUILD = resolve(ROOT, process.env.OSHI_BUILD ?? "target/release");

/** Runs basho and returns its output. */
export function basho(...args) {
  return execFileSync(join(BUILD, "basho"), args, {
    encoding: "utf8",
    stdio: ["ignore", "pipe", "ignore"],
    maxBuffer: 1 << 28,
  });
}

/** The engine's variants, from its answer to `uci`. */
const introduction = execFileSync(join(BUILD, "oshi"), ["uci"], { encoding: "utf8" });
export const VARIANTS = /^option name UCI_Variant .*$/m
  .exec(introduction)[0]
  .split(" var ")
  .slice(1);

/** The folder of all tournaments, removed at exit. */
export const folder = mkdtempSync(join(tmpdir(), "oshi-browser-"));
process.on("exit", () => rmSync(folder, { recursive: true, force: true }));

/** Plays a tournament between the engine and the built-in players and writes its page. */
export const play = (name, rounds, ...more) =>
  playBuiltIn(
    name,
    rounds,
    "--engine",
    `cmd=${join(BUILD, "oshi")}`,
    "name=oshi",
    "nodes=20",
    ...more,
  );

/** Plays a tournament between the built-in players and the engines given in `more`. */
export function playBuiltIn(name, rounds, ...more) {
  const dir = join(folder, name);
  const file = join(folder, `${name}.html`);
  const engines = ["cmd=builtin:random", "cmd=builtin:greedy"].flatMap((words) => [
    "--engine",
    words,
  ]);
  const openings = ["--openings", "random_start=true", "random_plies=2"];
  basho(
    "match",
    ...engines,
    ...more,
    ...openings,
    "--rounds",
    String(rounds),
    "--concurrency",
    "2",
    "--into",
    dir,
  );
  basho("report", dir, "--html", file);
  return { dir, file, url: `file://${file}` };
}

/** The recorded games of a tournament, by number. */
export function records({ dir }) {
  const lines = readFileSync(join(dir, "games.jsonl"), "utf8").trim().split("\n");
  return lines.map((line) => JSON.parse(line)).sort((a, b) => a.game - b.game);
}

/** The picture drawn by basho of the position after this number of plies. */
export function picture(record, variant, plies) {
  const moves = [...record.opening.moves, ...record.moves.map((played) => played.move)].slice(
    0,
    plies,
  );
  return basho("board", "--variant", variant, record.opening.start, "moves", ...moves);
}

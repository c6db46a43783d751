// The games in the browser's storage (IndexedDB), each as the text of its complete form.

const GAMES = "games";

/**
 * Opens the storage `name` and reads its games. Calls `saved(id, error)` after each save; `error`
 * is undefined after a success. Without storage there are no games, and each save fails.
 */
export async function openStore(name, saved) {
  /** Texts to write by id; null removes the game. */
  const pending = new Map();
  let opened = null;
  let isWriting = false;

  const database = () => {
    opened ??= open(name, () => {
      opened = null;
    });
    return opened;
  };

  async function write(changes) {
    const transaction = (await database()).transaction(GAMES, "readwrite", {
      durability: "strict",
    });
    const games = transaction.objectStore(GAMES);
    for (const [id, text] of changes) {
      if (text === null) games.delete(id);
      else games.put(text, id);
    }
    const done = new Promise((resolve, reject) => {
      transaction.addEventListener("complete", resolve);
      transaction.addEventListener("abort", () => reject(transaction.error));
    });
    // Without waiting for the results, since the tab may be closed at any time.
    transaction.commit();
    await done;
  }

  /** Writes the pending changes. Changes during a write are collected for the next one. */
  async function flush() {
    if (isWriting) return;
    isWriting = true;
    while (pending.size > 0) {
      const changes = [...pending];
      pending.clear();
      let error;
      try {
        await write(changes);
      } catch (problem) {
        error = describe(problem);
      }
      for (const [id, text] of changes) {
        if (text !== null) saved(id, error);
        // The board repeats a failed save, but not a failed removal.
        else if (error && !pending.has(id)) removals.add(id);
      }
    }
    isWriting = false;
  }

  const removals = new Set();
  const change = (id, text) => {
    for (const removal of removals) pending.set(removal, null);
    removals.clear();
    pending.set(id, text);
    // Several changes of one task are written together.
    queueMicrotask(flush);
  };

  return {
    games: await database()
      .then(readAll)
      .catch(() => []),
    save: change,
    remove: (id) => change(id, null),
  };
}

/** Opens a database. Calls `lost` when it can no longer be used. */
function open(name, lost) {
  return new Promise((resolve, reject) => {
    if (!navigator.locks) throw new Error("this address is not secure; expected https");
    const request = indexedDB.open(name, 1);
    request.addEventListener("upgradeneeded", () => request.result.createObjectStore(GAMES));
    request.addEventListener("success", () => {
      const { result } = request;
      result.addEventListener("close", lost);
      result.addEventListener("versionchange", () => {
        result.close();
        lost();
      });
      resolve(result);
    });
    request.addEventListener("error", () => reject(request.error));
  }).catch((error) => {
    lost();
    throw error;
  });
}

async function readAll(database) {
  const games = database.transaction(GAMES).objectStore(GAMES);
  const result = (request) =>
    new Promise((resolve, reject) => {
      request.addEventListener("success", () => resolve(request.result));
      request.addEventListener("error", () => reject(request.error));
    });
  const [ids, texts] = await Promise.all([result(games.getAllKeys()), result(games.getAll())]);
  return ids.map((id, index) => [id, texts[index]]);
}

const describe = (error) =>
  error?.name === "QuotaExceededError"
    ? "the browser's storage is full"
    : `the browser's storage cannot be used (${error?.message || error?.name || error})`;

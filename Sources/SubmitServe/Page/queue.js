// The files that were chosen, three at a time, each until it is there or refused for good.

import { ask, patience, isPassing, isOver, Refused } from "./line.js";
import { isPlaceRemoved } from "./place.js";
import { upload } from "./tus.js";

const width = 3;
const largestDigested = 64 << 20;
const memory = "submit.uploads";

export function nameOf(file) {
  return file.webkitRelativePath || file.name;
}

function triple(file) {
  return `${nameOf(file)}|${file.size}|${file.lastModified}`;
}

function remembered() {
  try {
    return JSON.parse(localStorage.getItem(memory)) ?? {};
  } catch {
    return {};
  }
}

function remember(key, url) {
  const all = remembered();
  if (url) all[key] = url;
  else delete all[key];
  const keys = Object.keys(all);
  for (const old of keys.slice(0, Math.max(0, keys.length - 2000))) delete all[old];
  try {
    localStorage.setItem(memory, JSON.stringify(all));
  } catch {
    // Without it, a file begins anew after the page is loaded again.
  }
}

// A digest of a whole file needs all of it in memory, one at a time.
let digesting = Promise.resolve();

function digest(file) {
  if (!globalThis.crypto?.subtle || file.size > largestDigested) return Promise.resolve(undefined);
  const work = digesting.then(async () => {
    try {
      const hash = await crypto.subtle.digest("SHA-256", await file.arrayBuffer());
      return [...new Uint8Array(hash)].map((byte) => byte.toString(16).padStart(2, "0")).join("");
    } catch {
      return undefined;
    }
  });
  digesting = work;
  return work;
}

export class Queue {
  constructor(onChange, onOver) {
    this.items = new Map();
    this.waiting = [];
    this.active = 0;
    this.onChange = onChange;
    this.onOver = onOver;
  }

  get isBusy() {
    return this.active > 0 || this.waiting.length > 0;
  }

  add(files) {
    for (const file of files) {
      const key = triple(file);
      const before = this.items.get(key);
      if (before && before.state !== "missing" && before.state !== "refused") continue;
      const item = before ?? { key, name: nameOf(file), size: file.size, sent: 0, url: remembered()[key] };
      item.file = file;
      item.state = "waiting";
      item.trouble = undefined;
      this.items.set(key, item);
      this.waiting.push(item);
      this.onChange(item);
    }
    this.work();
  }

  // What was refused, and may be taken now.
  again() {
    const files = [...this.items.values()].filter((item) => item.state === "refused" && item.file).map((item) => item.file);
    for (const file of files) this.items.get(triple(file)).url = undefined;
    this.add(files);
  }

  stop() {
    this.waiting = [];
  }

  work() {
    while (this.active < width && this.waiting.length > 0) {
      const item = this.waiting.shift();
      this.active += 1;
      this.run(item).finally(() => {
        this.active -= 1;
        this.onChange(item);
        this.work();
      });
    }
  }

  set(item, state, trouble) {
    item.state = state;
    item.trouble = trouble;
    this.onChange(item);
  }

  async run(item) {
    try {
      this.set(item, "looking");
      item.isPlaceRemoved = await isPlaceRemoved(item.file);
      item.digest = await digest(item.file);
      if (!item.url && item.digest && (await this.isThere(item))) return this.set(item, "here");
      this.set(item, "sending");
      await upload(item, {
        onUrl: (item) => remember(item.key, item.url),
        onProgress: (sent) => {
          item.sent = sent;
          this.onChange(item);
        },
        onTrouble: (error) => {
          item.trouble = error;
          this.onChange(item);
        },
      });
      this.set(item, "sent");
    } catch (error) {
      if (isOver(error)) {
        this.set(item, "waiting");
        this.stop();
        this.onOver(error);
      } else {
        remember(item.key, undefined);
        this.set(item, "refused", error);
      }
    }
  }

  // Asked before any byte is sent; where nobody can tell, it is sent.
  async isThere(item) {
    for (let tries = 0; ; tries += 1) {
      try {
        const { value } = await ask("POST", "/offer", { json: { files: [{ name: item.name, size: item.size, sha256: item.digest, modified: item.file.lastModified, type: item.file.type }] } });
        const answer = value?.files?.[0] ?? {};
        if (answer.answer === "refuse") throw new Refused(422, answer.code, answer.message);
        return answer.answer === "have";
      } catch (error) {
        if (!isPassing(error)) throw error;
        this.set(item, "looking", error);
        await patience(Math.min(15000, 400 * 2 ** Math.min(tries, 6)));
      }
    }
  }
}

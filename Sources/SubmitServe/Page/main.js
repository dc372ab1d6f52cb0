// Puts the parts together: in, choose, send, see.

import { load, text, refusal } from "./texts.js";
import { takeSecret, enter, status, listen, leave } from "./session.js";
import { Queue } from "./queue.js";
import { keepAwake } from "./wake.js";
import { show, notice, overall } from "./view.js";

const secret = takeSecret();
const part = (id) => document.getElementById(id);
// By our id of a file, or by its name and time before there is one.
const entries = new Map();
const byItem = new Map();
const changed = new Set();
let isDrawing = false;
let stopListening;
let isEnded = false;
let isLost = false;

const queue = new Queue(onItem, end);

function idOf(url) {
  return url?.split("/").pop();
}

function onItem(item) {
  let entry = byItem.get(item);
  const id = idOf(item.url);
  if (!entry) {
    entry = (id && entries.get(id)) ?? { name: item.name };
    entry.item = item;
    byItem.set(item, entry);
    entries.set(id ?? item.key, entry);
  }
  if (id && entries.get(id) !== entry) {
    const other = entries.get(id);
    if (other) {
      entry.status = other.status;
      other.row?.remove();
      changed.delete(other);
    }
    entries.delete(item.key);
    entries.set(id, entry);
  }
  keepAwake(queue.isBusy);
  draw(entry);
}

function onFiles(changes) {
  for (const file of changes.files) {
    let entry = entries.get(file.id);
    if (!entry) {
      if (["cancelled", "expired"].includes(file.state)) continue;
      entry = { name: file.name };
      entries.set(file.id, entry);
    }
    entry.status = file;
    draw(entry);
  }
}

function draw(entry) {
  changed.add(entry);
  if (isDrawing) return;
  isDrawing = true;
  // A hidden tab is drawn, too, for whoever comes back to it.
  setTimeout(() => {
    isDrawing = false;
    for (const entry of changed) show(entry);
    changed.clear();
    tell(overall(entries.values()));
  }, 100);
}

function tell(counts) {
  if (isEnded) return;
  if (isLost) notice(text("lost"));
  else if (counts.missing > 0) notice(text("chooseAgain", counts));
  else if (counts.all > 0 && counts.safe === counts.all) notice(text("allSafe"));
  else notice("");
}

function onLine(isGone) {
  if (isLost === isGone) return;
  isLost = isGone;
  tell(overall(entries.values()));
}

function end(error) {
  if (isEnded) return;
  isEnded = true;
  queue.stop();
  keepAwake(false);
  stopListening?.();
  part("choose").hidden = true;
  notice(error ? refusal(error.code, error.message) : text("ended"), Boolean(error));
}

async function confirmed(first) {
  let report = first;
  while (report.session.state === "unconfirmed") {
    part("words").hidden = false;
    part("word-list").textContent = report.session.words.join(" ");
    await new Promise((resolve) => setTimeout(resolve, 1500));
    report = await status(() => notice(text("lost")));
  }
  part("words").hidden = true;
  notice("");
  return report;
}

function begin(report) {
  part("where").textContent = text("where", { destinations: report.terms.destinations.join(", ") });
  part("choose").hidden = false;
  onFiles(report.changes);
  stopListening = listen(onFiles, onLine, (error) => end(error));
  for (const input of [part("photos"), part("originals")]) {
    input.addEventListener("change", () => {
      queue.add([...input.files]);
      input.value = "";
    });
  }
  part("again").addEventListener("click", () => queue.again());
  part("done").addEventListener("click", async () => {
    const counts = overall(entries.values());
    if (counts.missing > 0 && !confirm(text("leaveUnfinished", counts))) return;
    try {
      await leave();
    } finally {
      end();
    }
  });
}

window.addEventListener("beforeunload", (event) => {
  if (queue.isBusy) event.preventDefault();
});

try {
  await load(document.querySelector("main").dataset.assets);
  const report = await enter(secret, () => notice(text("lost")));
  notice("");
  begin(await confirmed(report));
} catch (error) {
  end(error.code ? error : { code: "failed", message: String(error) });
}

// What is seen of the files: a row each, with each destination, and how far all of it is.

import { text, refusal, bytes } from "./texts.js";

const list = document.getElementById("files");
const template = document.getElementById("row");

export function rowFor(entry) {
  if (entry.row) return entry.row;
  const row = template.content.firstElementChild.cloneNode(true);
  row.querySelector(".name").textContent = entry.name;
  row.querySelector("progress").setAttribute("aria-label", entry.name);
  list.prepend(row);
  entry.row = row;
  return row;
}

function troubleText(error) {
  // A connection of before is not known to be gone yet: that passes by itself.
  if (!error || error.status === 423) return undefined;
  if (error.status === 507) return refusal("disk-full", error.message);
  if (error.status === undefined) return text("lost");
  return refusal(error.code, error.message);
}

// What is on its way or there: of a file that is chosen again after the page was loaded again, what came before counts.
function sentOf({ item, status }) {
  return Math.max(item?.sent ?? 0, status?.offset ?? 0);
}

// What stands behind a name.
export function stateOf(entry) {
  const { item, status } = entry;
  if (item?.state === "refused") return { kind: "refused", words: item.trouble?.code === "unreadable" ? text("unreadable") : troubleText(item.trouble) ?? text("failed") };
  if (status?.state === "refused") return { kind: "refused", words: refusal(status.code, status.message) };
  if (item?.state === "here") return { kind: "safe", words: text("here") };
  if (status?.safe) return { kind: "safe", words: text("safe") };
  if (status?.state === "arrived") return { kind: "arrived", words: text("arrived") };
  if (status?.state === "cancelled" || status?.state === "expired") return { kind: "gone", words: text(status.state) };
  if (item?.state === "sent") return { kind: "arrived", words: text("arrived") };
  if (item?.state === "sending") return { kind: "sending", words: troubleText(item.trouble) ?? text("sending", { part: bytes(sentOf(entry)), whole: bytes(item.size) }) };
  if (item?.state === "looking") return { kind: "waiting", words: troubleText(item.trouble) ?? text("looking") };
  if (item) return { kind: "waiting", words: text("waiting") };
  return { kind: "missing", words: text("missing") };
}

function placeText(place) {
  const words = place.state === "done" ? text(`evidence.${place.evidence ?? "unknown"}`) : text(`place.${place.state}`);
  return `${place.state === "done" ? "✓ " : ""}${place.destination}: ${words}${place.message && place.state !== "done" ? ` – ${place.message}` : ""}`;
}

export function show(entry) {
  const row = rowFor(entry);
  const { kind, words } = stateOf(entry);
  row.className = kind;
  const state = row.querySelector(".state");
  const all = entry.item?.isPlaceRemoved ? `${words} ${text("placeRemoved")}` : words;
  if (state.textContent !== all) state.textContent = all;
  const bar = row.querySelector("progress");
  const size = entry.item?.size ?? entry.status?.length ?? 0;
  const sent = sentOf(entry);
  bar.hidden = kind !== "sending" && kind !== "waiting" && kind !== "missing";
  bar.value = size > 0 ? sent / size : 0;
  const places = row.querySelector(".places");
  const wanted = (entry.status?.destinations ?? []).map((place) => ({ words: placeText(place), kind: place.state === "done" ? "good" : place.state === "failed" ? "bad" : "" }));
  const mark = JSON.stringify(wanted);
  if (entry.mark === mark) return;
  entry.mark = mark;
  places.replaceChildren(...wanted.map(({ words, kind }) => {
    const place = document.createElement("li");
    place.textContent = words;
    place.className = kind;
    return place;
  }));
}

export function notice(words, isBad = false) {
  const element = document.getElementById("notice");
  if (element.textContent !== words) element.textContent = words;
  element.classList.toggle("bad", isBad);
}

let lastSummary = 0;

// The bar for eyes, often; the sentence for ears, seldom.
export function overall(entries) {
  const counts = { all: 0, arrived: 0, safe: 0, refused: 0, missing: 0 };
  let size = 0;
  let sent = 0;
  for (const entry of entries) {
    const { kind } = stateOf(entry);
    counts.all += 1;
    const length = entry.item?.size ?? entry.status?.length ?? 0;
    size += length;
    if (kind === "safe" || kind === "arrived") {
      counts.arrived += 1;
      sent += length;
    } else {
      sent += Math.min(length, sentOf(entry));
    }
    if (kind === "safe") counts.safe += 1;
    if (kind === "refused") counts.refused += 1;
    if (kind === "missing") counts.missing += 1;
  }
  document.getElementById("overall").hidden = counts.all === 0;
  document.getElementById("all").value = size > 0 ? sent / size : counts.all > 0 ? 1 : 0;
  const words = text("count", counts) + (counts.refused > 0 ? ` ${text("countRefused", counts)}` : "");
  const count = document.getElementById("count");
  if (count.textContent !== words) count.textContent = words;
  const isOver = counts.arrived + counts.refused === counts.all;
  if (isOver || Date.now() - lastSummary > 8000) {
    lastSummary = Date.now();
    const summary = document.getElementById("summary");
    if (summary.textContent !== words) summary.textContent = words;
  }
  document.getElementById("again").hidden = counts.refused === 0;
  document.getElementById("done").hidden = counts.all === 0 || counts.arrived < counts.all - counts.refused - counts.missing;
  return counts;
}

// One file by tus 1.0: in pieces, each where the one before ended, until the computer has all of it.

import { ask, send, patience, isPassing, isOver, Refused, Lost } from "./line.js";

const version = { "Tus-Resumable": "1.0.0" };
const chunk = 8 << 20;

function base64(text) {
  let binary = "";
  for (const byte of new TextEncoder().encode(text)) binary += String.fromCharCode(byte);
  return btoa(binary);
}

async function create(item) {
  const values = { filename: item.name, filetype: item.file.type || "application/octet-stream", lastModified: `${item.file.lastModified}` };
  if (item.digest) values.sha256 = item.digest;
  const metadata = Object.entries(values).map(([key, value]) => `${key} ${base64(value)}`).join(",");
  const answer = await ask("POST", "/files", { headers: { ...version, "Upload-Length": `${item.size}`, "Upload-Metadata": metadata } });
  return answer.headers.get("Location");
}

async function offset(item) {
  const answer = await ask("HEAD", item.url, { headers: version });
  return Number(answer.headers.get("Upload-Offset"));
}

// `item.url` is kept by whoever calls, so that a page that is loaded again goes on.
export async function upload(item, { onUrl, onProgress, onTrouble }) {
  let tries = 0;
  let position;
  while (true) {
    try {
      if (!item.url) {
        item.url = await create(item);
        onUrl(item);
        position = 0;
      } else if (position === undefined) {
        position = await offset(item);
      }
      onProgress(position);
      // A file that is there may still have to be accepted: the last request says so.
      while (position < item.size) {
        const end = Math.min(position + chunk, item.size);
        const begin = position;
        position = undefined;
        const reached = await send(item.url, item.file.slice(begin, end), { ...version, "Content-Type": "application/offset+octet-stream", "Upload-Offset": `${begin}` }, (loaded) => onProgress(begin + loaded));
        position = reached;
        tries = 0;
        onProgress(reached);
        onTrouble(undefined);
      }
      return;
    } catch (error) {
      position = undefined;
      if (isOver(error)) throw error;
      if (error instanceof Refused && item.url && [404, 410].includes(error.status)) {
        // It is known no more, and begins anew; twice would be no accident.
        if (item.renewed) throw error;
        item.renewed = true;
        item.url = undefined;
        onUrl(item);
        continue;
      }
      // A file that was changed or taken away while it was read.
      if (error instanceof Lost && !(await isReadable(item.file))) throw new Refused(0, "unreadable", "");
      if (!isPassing(error)) throw error;
      tries += 1;
      onTrouble(error);
      await patience(Math.max(1000 * (error.after ?? 0), Math.min(15000, 400 * 2 ** Math.min(tries, 6))));
    }
  }
}

async function isReadable(file) {
  try {
    await file.slice(0, 1).arrayBuffer();
    return true;
  } catch {
    return false;
  }
}

// How this device is let in, and what it is told of its files.

import { ask, patience, Lost } from "./line.js";

function device() {
  const agent = navigator.userAgent;
  const model = /Android [^;]*; ([^;)]+)/.exec(agent)?.[1];
  if (model && model !== "K") return model.slice(0, 40);
  const names = ["iPhone", "iPad", "Android", "Macintosh", "Windows", "Linux"];
  return names.find((name) => agent.includes(name)) ?? "browser";
}

// The same for a code, however often it is tried: an answer may get lost.
function attempt(invite) {
  const key = `submit.attempt.${invite}`;
  let text = null;
  try {
    text = localStorage.getItem(key);
  } catch {
    // Then it is for this page only.
  }
  if (!text) {
    const bytes = crypto.getRandomValues(new Uint8Array(18));
    text = btoa(String.fromCharCode(...bytes));
    try {
      localStorage.setItem(key, text);
    } catch {
      // As above.
    }
  }
  return text;
}

// Takes the secret out of the address before anything else can read it there.
export function takeSecret() {
  const secret = location.hash.slice(1);
  if (location.hash) history.replaceState(null, "", location.pathname);
  return secret;
}

async function patiently(work, onLost) {
  for (let tries = 0; ; tries += 1) {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof Lost)) throw error;
      onLost();
      await patience(Math.min(10000, 500 * 2 ** Math.min(tries, 5)));
    }
  }
}

// Exchanges the secret, or else goes on with the session that there is.
export async function enter(secret, onLost) {
  const invite = location.pathname.split("/")[2] ?? "";
  const status = () => ask("GET", "/status");
  if (secret) {
    try {
      await patiently(() => ask("POST", `/r/${invite}/claim`, { json: { secret, device: device(), attempt: attempt(invite) } }), onLost);
    } catch (error) {
      // The code may have been for this very device, some time ago.
      try {
        return (await patiently(status, onLost)).value;
      } catch {
        throw error;
      }
    }
  }
  return (await patiently(status, onLost)).value;
}

export async function status(onLost) {
  return (await patiently(() => ask("GET", "/status"), onLost)).value;
}

export function leave() {
  return ask("DELETE", "/session");
}

// Calls back with all that changes, for as long as the page is there.
export function listen(onFiles, onLost, onEnd) {
  let source;
  let retry;
  function open() {
    clearTimeout(retry);
    source?.close();
    source = new EventSource("/events");
    source.addEventListener("open", () => onLost(false));
    source.addEventListener("files", (event) => onFiles(JSON.parse(event.data)));
    source.addEventListener("end", () => {
      source.close();
      onEnd();
    });
    source.addEventListener("error", () => {
      onLost(true);
      // A browser tries again by itself only where there was an answer.
      if (source.readyState === EventSource.CLOSED) {
        retry = setTimeout(async () => {
          try {
            await ask("GET", "/status");
            open();
          } catch (error) {
            if (error instanceof Lost) open();
            else onEnd(error);
          }
        }, 2000);
      }
    });
  }
  open();
  // A tab that was frozen may hold a line that is long dead.
  const wake = () => {
    if (document.visibilityState === "visible" && source?.readyState !== EventSource.OPEN) open();
  };
  document.addEventListener("visibilitychange", wake);
  window.addEventListener("pageshow", wake);
  window.addEventListener("online", open);
  return () => {
    clearTimeout(retry);
    source?.close();
    document.removeEventListener("visibilitychange", wake);
    window.removeEventListener("pageshow", wake);
    window.removeEventListener("online", open);
  };
}

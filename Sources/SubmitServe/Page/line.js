// Requests to the computer, and what comes of a lost line.

export class Refused extends Error {
  constructor(status, code, message, offset, after) {
    super(message);
    this.status = status;
    this.code = code;
    this.offset = offset;
    this.after = after;
  }
}

export class Lost extends Error {}

// What is worth another try, by itself.
export function isPassing(error) {
  return error instanceof Lost || (error instanceof Refused && [400, 408, 409, 423, 429, 460, 500, 502, 503, 504, 507].includes(error.status) && !["metadata", "no-length", "no-offset"].includes(error.code)) || error.code === "too-many-unfinished";
}

// This device may do nothing more.
export function isOver(error) {
  return error instanceof Refused && (error.status === 401 || ["expired", "revoked", "declined", "unconfirmed"].includes(error.code) || error.code.startsWith("session-"));
}

function reason(text) {
  try {
    return JSON.parse(text).error ?? {};
  } catch {
    return {};
  }
}

export async function ask(method, path, { json, headers = {} } = {}) {
  let answer;
  let body = "";
  try {
    answer = await fetch(path, {
      method,
      headers: json === undefined ? headers : { ...headers, "Content-Type": "application/json" },
      body: json === undefined ? undefined : JSON.stringify(json),
      credentials: "same-origin",
      cache: "no-store",
      signal: AbortSignal.timeout ? AbortSignal.timeout(30000) : undefined,
    });
    body = await answer.text();
  } catch {
    throw new Lost("the line is lost");
  }
  if (!answer.ok) throw refused(answer.status, body, (name) => answer.headers.get(name));
  return { headers: answer.headers, value: body && answer.headers.get("Content-Type") === "application/json" ? JSON.parse(body) : undefined };
}

function refused(status, body, header) {
  const { code, message } = reason(body);
  const offset = header("Upload-Offset");
  return new Refused(status, code ?? `http-${status}`, message ?? "", offset === null ? undefined : Number(offset), Number(header("Retry-After") ?? 0));
}

// `fetch` does not tell how far a body is.
export function send(path, blob, headers, onProgress) {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    let stall;
    const watch = () => {
      clearTimeout(stall);
      stall = setTimeout(() => request.abort(), 45000);
    };
    const lost = () => {
      clearTimeout(stall);
      reject(new Lost("the line is lost"));
    };
    request.open("PATCH", path);
    for (const [name, value] of Object.entries(headers)) request.setRequestHeader(name, value);
    request.upload.onprogress = (event) => {
      watch();
      onProgress(event.loaded);
    };
    request.onload = () => {
      clearTimeout(stall);
      if (request.status >= 200 && request.status < 300) resolve(Number(request.getResponseHeader("Upload-Offset")));
      else reject(refused(request.status, request.responseText, (name) => request.getResponseHeader(name)));
    };
    // Safari calls its own lost connections an abort.
    request.onerror = lost;
    request.onabort = lost;
    request.ontimeout = lost;
    watch();
    request.send(blob);
  });
}

// Waits, but no longer than until something says that the line may be there again.
export function patience(milliseconds) {
  return new Promise((resolve) => {
    const timer = setTimeout(end, milliseconds);
    const signals = [[window, "online"], [window, "pageshow"], [window, "focus"], [document, "visibilitychange"]];
    function end() {
      clearTimeout(timer);
      for (const [target, name] of signals) target.removeEventListener(name, end);
      resolve();
    }
    for (const [target, name] of signals) target.addEventListener(name, end);
  });
}

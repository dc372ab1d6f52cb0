// Keeps the screen on while something is sent, where the browser lets us.

let lock;
let isWanted = false;

async function take() {
  if (!isWanted || lock || document.visibilityState !== "visible" || !navigator.wakeLock) return;
  try {
    lock = await navigator.wakeLock.request("screen");
    lock.addEventListener("release", () => {
      lock = undefined;
    });
  } catch {
    lock = undefined;
  }
}

export function keepAwake(wanted) {
  isWanted = wanted;
  if (wanted) take();
  else lock?.release();
}

document.addEventListener("visibilitychange", take);
// iOS gives it back only after a tap.
document.addEventListener("pointerdown", take);

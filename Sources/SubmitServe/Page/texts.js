// Sentences in the language of whoever looks, in plain text.

const known = ["en", "de", "ja"];
let texts = {};

export async function load(assets) {
  const wanted = (navigator.languages ?? [navigator.language]).map((language) => language.slice(0, 2).toLowerCase());
  const language = wanted.find((language) => known.includes(language)) ?? "en";
  const answer = await fetch(`${assets}/${language}.json`);
  texts = await answer.json();
  document.documentElement.lang = language;
  for (const element of document.querySelectorAll("[data-text]")) element.textContent = text(element.dataset.text);
}

export function text(key, values = {}) {
  const sentence = texts[key] ?? key;
  return sentence.replace(/\{(\w+)\}/g, (all, name) => values[name] ?? all);
}

// What a refusal's code says in this language, or else what the computer said.
export function refusal(code, message) {
  return texts[`code.${code}`] ?? message ?? text("failed");
}

export function bytes(count) {
  const units = ["B", "kB", "MB", "GB", "TB"];
  let unit = 0;
  let value = count;
  while (value >= 999.5 && unit < units.length - 1) {
    value /= 1000;
    unit += 1;
  }
  const digits = unit > 0 && value < 9.95 ? 1 : 0;
  return `${value.toLocaleString(document.documentElement.lang, { maximumFractionDigits: digits })} ${units[unit]}`;
}

/** Returns text that PostgreSQL and every wire can hold: no NUL, no half of a surrogate pair. */
export function cleanText(text: string): string {
  return text.toWellFormed().replaceAll('\u0000', '\uFFFD');
}

/** Returns the beginning of a caller's text, short enough for a sentence. */
export function shorten(text: string, most = 100): string {
  return text.length <= most ? text : `${text.slice(0, most - 1).toWellFormed()}…`;
}

/**
 * Returns a primitive value as text, and any other value as an empty text. `String` throws for an object with a
 * `toString` that is not a function.
 */
export function wordOf(value: unknown): string {
  return typeof value === 'object' || value === undefined ? '' : String(value);
}

export function quote(text: string): string {
  return JSON.stringify(shorten(text));
}

/** Returns the content of a code fence, if the fence is the whole text. White space around it does not count. */
export function withoutFence(text: string): string {
  const spoken = text.trim();
  const opening = /^```[^\s`]*\s/.exec(spoken)?.[0];
  const end = spoken.length - 3;
  return opening && spoken.endsWith('```') && end >= opening.length ? spoken.slice(opening.length, end) : spoken;
}

/** Returns a tool's text without control characters, except tabs and line ends. */
export function cleanToolText(text: string): string {
  return cleanText(text).replace(CONTROLS, '\uFFFD');
}

const CONTROLS = /[^\P{Cc}\t\n\r]/gu;

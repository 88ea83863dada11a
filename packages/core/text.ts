/** Text that Postgres and every wire can hold: no NUL, no half of a surrogate pair. */
export function cleanText(text: string): string {
  return text.toWellFormed().replaceAll('\u0000', '\uFFFD');
}

/** The beginning of a caller's text, short enough to be shown in a sentence. */
export function shorten(text: string, most = 100): string {
  return text.length <= most ? text : `${text.slice(0, most - 1).toWellFormed()}…`;
}

/** A primitive value as text; any other is empty. `String` throws for an object with a `toString` that is not a function. */
export function wordOf(value: unknown): string {
  return typeof value === 'object' || value === undefined ? '' : String(value);
}

/** The same in quotation marks. */
export function quote(text: string): string {
  return JSON.stringify(shorten(text));
}

/** What stands in a code fence, where that is the whole text; white space around it does not count. */
export function withoutFence(text: string): string {
  const spoken = text.trim();
  const opening = /^```[^\s`]*\s/.exec(spoken)?.[0];
  const end = spoken.length - 3;
  return opening && spoken.endsWith('```') && end >= opening.length ? spoken.slice(opening.length, end) : spoken;
}

/** A tool's text without control characters but tabs and line ends. */
export function cleanToolText(text: string): string {
  return cleanText(text).replace(CONTROLS, '\uFFFD');
}

const CONTROLS = /[^\P{Cc}\t\n\r]/gu;

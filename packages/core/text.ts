/** Text that Postgres and every wire can hold: no NUL, no half of a surrogate pair. */
export function cleanText(text: string): string {
  return text.toWellFormed().replaceAll('\u0000', '\uFFFD');
}

/** The beginning of a caller's text, short enough to be shown in a sentence. */
export function shorten(text: string, most = 100): string {
  return text.length <= most ? text : `${text.slice(0, most - 1).toWellFormed()}…`;
}

/** The same in quotation marks. */
export function quote(text: string): string {
  return JSON.stringify(shorten(text));
}

/** A tool's text without control characters but tabs and line ends. */
export function cleanToolText(text: string): string {
  return cleanText(text).replace(CONTROLS, '\uFFFD');
}

const CONTROLS = /[^\P{Cc}\t\n\r]/gu;

/** Text that Postgres and every wire can hold: no NUL, no half of a surrogate pair. */
export function cleanText(text: string): string {
  return text.toWellFormed().replaceAll('\u0000', '\uFFFD');
}

/** What a tool said, as text without control characters: only tabs and line ends stay, the rest would be guessed at. */
export function cleanToolText(text: string): string {
  return cleanText(text).replace(CONTROLS, '\uFFFD');
}

const CONTROLS = /(?![\t\n\r])\p{Cc}/gu;

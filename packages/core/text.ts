/** Text that Postgres and every wire can hold: no NUL, no half of a surrogate pair. */
export function cleanText(text: string): string {
  return text.toWellFormed().replaceAll('\u0000', '\uFFFD');
}

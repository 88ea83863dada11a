/** Characters that move the cursor, clear the screen or reverse text in a terminal; line ends and tabs stay. */
const HIDDEN = /(?![\n\t])[\p{Cc}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu;

/** A copy of a foreign text for a terminal: characters that would act on it are spelled out (`\u{1b}`). */
export function makeVisible<Value>(value: Value): Value {
  return JSON.parse(JSON.stringify(value), (_, inner) => (typeof inner === 'string' ? spell(inner) : inner));
}

function spell(text: string): string {
  return text.replace(HIDDEN, (character) => `\\u{${character.codePointAt(0)?.toString(16)}}`);
}

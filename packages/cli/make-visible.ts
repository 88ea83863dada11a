/** Characters that move the cursor, clear the screen or reverse text in a terminal. Excludes line ends and tabs. */
const HIDDEN = /(?![\n\t])[\p{Cc}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu;

/** Copies foreign text for a terminal, with each control character spelled out (`\u{1b}`). */
export function makeVisible<Value>(value: Value): Value {
  return JSON.parse(JSON.stringify(value), (_, inner) => (typeof inner === 'string' ? spell(inner) : inner));
}

function spell(text: string): string {
  return text.replace(HIDDEN, (character) => `\\u{${character.codePointAt(0)?.toString(16)}}`);
}

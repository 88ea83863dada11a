/**
 * Where a JSON text, which can be parsed, names a field of one object twice: parsers drop the first without a word. Null where
 * none is.
 */
export function findRepeatedName(json: string): { line: number; column: number } | null {
  const open: Set<string>[] = [];
  for (const { 0: token, index } of json.matchAll(TOKENS)) {
    if (token === '{' || token === '[') open.push(new Set());
    else if (token === '}' || token === ']') open.pop();
    else if (isRepeated(token, open.at(-1))) return placeOf(json.slice(0, index));
  }
  return null;
}

/** Remembers a name; a text that is none is a value. */
function isRepeated(token: string, names: Set<string> | undefined): boolean {
  const text = NAME.exec(token)?.[1];
  if (text === undefined || !names) return false;
  const name: string = JSON.parse(text);
  if (names.has(name)) return true;
  names.add(name);
  return false;
}

/** Brackets, and texts with the colon behind those that are names. */
const TOKENS = /"(?:[^"\\]|\\.)*"(?:\s*:)?|[{}[\]]/g;
const NAME = /^(".*")\s*:$/s;

function placeOf(before: string): { line: number; column: number } {
  const lines = before.split('\n');
  return { line: lines.length, column: (lines.at(-1)?.length ?? 0) + 1 };
}

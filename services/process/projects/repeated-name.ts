/** Finds the first name that an object of a valid JSON text repeats, or null. Parsers silently drop a value. */
export function findRepeatedName(json: string): { line: number; column: number } | null {
  const open: Set<string>[] = [];
  for (const { 0: token, index } of json.matchAll(TOKENS)) {
    if (token === '{' || token === '[') open.push(new Set());
    else if (token === '}' || token === ']') open.pop();
    else if (isRepeated(token, open.at(-1))) return placeOf(json.slice(0, index));
  }
  return null;
}

/** Records a name, and returns whether it is repeated. Any other text is a value. */
function isRepeated(token: string, names: Set<string> | undefined): boolean {
  const text = NAME.exec(token)?.[1];
  if (text === undefined || !names) return false;
  const name: string = JSON.parse(text);
  if (names.has(name)) return true;
  names.add(name);
  return false;
}

/** Brackets and texts. A name includes the colon after it. */
const TOKENS = /"(?:[^"\\]|\\.)*"(?:\s*:)?|[{}[\]]/g;
const NAME = /^(".*")\s*:$/s;

function placeOf(before: string): { line: number; column: number } {
  const lines = before.split('\n');
  return { line: lines.length, column: (lines.at(-1)?.length ?? 0) + 1 };
}

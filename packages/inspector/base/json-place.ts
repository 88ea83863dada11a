/** The range of a value in a text of JSON, and the ranges inside it by name or number. */
export type JsonPlace = { from: number; to: number; inside: Map<string, JsonPlace> };

const SPACE = /\s*/y;
const ATOM = /"(?:[^"\\]|\\.)*"|[^\s,\]}]+/y;

/** The range of the value at a path in a text of JSON. If the path does not exist, its nearest parent. */
export function placeIn(text: string, path: string[]): Pick<JsonPlace, 'from' | 'to'> {
  let place = placeAt(text, after(text, 0));
  for (const step of path) place = place.inside.get(step) ?? place;
  return { from: place.from, to: place.to };
}

/** The steps of a field's path within a root: `approvals[0].arguments.items[2].price` within `approvals[0].arguments`. */
export function stepsWithin(param: string, root: string): string[] | null {
  return param.startsWith(root) ? (param.slice(root.length).match(/[^.[\]]+/g) ?? []) : null;
}

/** The first place from `at` that is no space. */
function after(text: string, at: number) {
  SPACE.lastIndex = at;
  SPACE.exec(text);
  return SPACE.lastIndex;
}

function placeAt(text: string, from: number): JsonPlace {
  const opening = text[from];
  if (opening === '{' || opening === '[') return placeOfMany(text, from, opening === '{');
  return { from, to: endOfAtom(text, from), inside: new Map() };
}

function endOfAtom(text: string, from: number) {
  ATOM.lastIndex = from;
  return ATOM.exec(text) ? ATOM.lastIndex : from + 1;
}

function placeOfMany(text: string, from: number, isObject: boolean): JsonPlace {
  const inside = new Map<string, JsonPlace>();
  let at = after(text, from + 1);
  while (at < text.length && !'}]'.includes(text[at] ?? '')) {
    let name = String(inside.size);
    if (isObject) {
      const end = endOfAtom(text, at);
      name = JSON.parse(text.slice(at, end));
      at = after(text, after(text, end) + 1);
    }
    const place = placeAt(text, at);
    inside.set(name, place);
    at = after(text, place.to);
    if (text[at] === ',') at = after(text, at + 1);
  }
  return { from, to: at + 1, inside };
}

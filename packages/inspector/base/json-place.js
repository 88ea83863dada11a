/** Where a value stands in a text of JSON, and what it holds by name or number. @typedef {{ from: number, to: number, inside: Map<string, Place> }} Place */

const SPACE = /\s*/y;
const ATOM = /"(?:[^"\\]|\\.)*"|[^\s,\]}]+/y;

/**
 * Where the value at a path stands in a text of JSON, or what comes nearest to it.
 * @param {string} text of valid JSON
 * @param {string[]} path names and numbers, from the root
 * @returns {Pick<Place, 'from' | 'to'>}
 */
export function placeIn(text, path) {
  let place = placeAt(text, after(text, 0));
  for (const step of path) place = place.inside.get(step) ?? place;
  return { from: place.from, to: place.to };
}

/**
 * The steps of a field's path behind a root: `approvals[0].arguments.items[2].price` behind `approvals[0].arguments`.
 * @param {string} param
 * @param {string} root
 * @returns {string[] | null} null where the field is elsewhere
 */
export function stepsBehind(param, root) {
  return param.startsWith(root) ? (param.slice(root.length).match(/[^.[\]]+/g) ?? []) : null;
}

/**
 * The first place from `at` that is no space.
 * @param {string} text
 * @param {number} at
 */
function after(text, at) {
  SPACE.lastIndex = at;
  SPACE.exec(text);
  return SPACE.lastIndex;
}

/**
 * @param {string} text
 * @param {number} from
 * @returns {Place}
 */
function placeAt(text, from) {
  const opening = text[from];
  if (opening === '{' || opening === '[') return placeOfMany(text, from, opening === '{');
  return { from, to: endOfAtom(text, from), inside: new Map() };
}

/**
 * @param {string} text
 * @param {number} from
 */
function endOfAtom(text, from) {
  ATOM.lastIndex = from;
  return ATOM.exec(text) ? ATOM.lastIndex : from + 1;
}

/**
 * @param {string} text
 * @param {number} from
 * @param {boolean} isObject
 * @returns {Place}
 */
function placeOfMany(text, from, isObject) {
  const inside = /** @type {Map<string, Place>} */ (new Map());
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

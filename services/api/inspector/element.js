/** @typedef {Node | string | number | null | undefined | false} Child */
/** @typedef {Record<string, unknown>} Props */

/**
 * Makes an element. Children are nodes or texts, and a text is only ever set as text: whatever a model or a tool says
 * stays words. `onclick` and the like listen, `--name` sets a CSS property, anything else is an attribute; what is
 * false, null or undefined is left out.
 * @template {keyof HTMLElementTagNameMap} Tag
 * @param {Tag} tag
 * @param {Props} [props]
 * @param {...(Child | Child[])} children
 * @returns {HTMLElementTagNameMap[Tag]}
 */
export function element(tag, props = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(props)) setProp(made, name, value);
  made.append(...children.flat().filter(isThere).map(asNode));
  return made;
}

/**
 * @param {HTMLElement} made
 * @param {string} name
 * @param {unknown} value
 */
function setProp(made, name, value) {
  if (value === false || value === null || value === undefined) return;
  if (typeof value === 'function') made.addEventListener(name.slice(2), /** @type {EventListener} */ (value));
  else if (name.startsWith('--')) made.style.setProperty(name, String(value));
  else made.setAttribute(name, value === true ? '' : String(value));
}

/**
 * @param {Child} child
 * @returns {child is Node | string | number}
 */
function isThere(child) {
  return child !== null && child !== undefined && child !== false;
}

/** Characters that show what follows them in another order than it is in: nobody may be asked about such a text. */
const TURNS_AROUND = /[\u202a-\u202e\u2066-\u2069]/g;

/** @param {string} character */
function spell(character) {
  return `⟨U+${character.charCodeAt(0).toString(16).toUpperCase()}⟩`;
}

/** @param {Node | string | number} child */
function asNode(child) {
  return child instanceof Node ? child : String(child).replace(TURNS_AROUND, spell);
}

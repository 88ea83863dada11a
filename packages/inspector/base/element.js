/** @typedef {Node | string | number | null | undefined | false} Child */
/** @typedef {Record<string, unknown>} Props */

/**
 * Makes an element. A text child is only ever set as text, so that nothing a model or a tool says becomes markup.
 * Properties: `onclick` and the like listen, `--name` sets a CSS property, others are attributes. Values that are
 * false, null or undefined are left out.
 * @template {keyof HTMLElementTagNameMap} Tag
 * @param {Tag} tag
 * @param {Props} [props]
 * @param {...(Child | Child[])} children
 * @returns {HTMLElementTagNameMap[Tag]}
 */
export function element(tag, props = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(props)) setProp(made, name, value);
  // One by one: a call takes no more than some 100,000 arguments.
  for (const child of children.flat()) if (isThere(child)) made.append(asNode(child));
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

/** Characters that reverse the order in which a text is shown: a person must not decide on a text that hides its order. */
const BIDI_CONTROLS = /[\u202a-\u202e\u2066-\u2069]/g;

/** @param {string} character */
function spell(character) {
  return `⟨U+${character.charCodeAt(0).toString(16).toUpperCase()}⟩`;
}

/** @param {Node | string | number} child */
function asNode(child) {
  return child instanceof Node ? child : String(child).replace(BIDI_CONTROLS, spell);
}

/**
 * Facts by name; those without a value are left out.
 * @param {[name: string, value: Child][]} facts
 * @param {string} [name]
 */
export function factList(facts, name = 'facts') {
  const known = facts.filter(([, value]) => value !== null && value !== undefined && value !== false && value !== '');
  return element(
    'dl',
    { class: name },
    known.map(([term, value]) => element('div', {}, element('dt', {}, term), element('dd', {}, value))),
  );
}

/**
 * A preformatted text, unchanged; it can be scrolled by keyboard.
 * @param {string} text
 * @param {string} label its name for screen readers
 */
export function codeBlock(text, label) {
  return element('pre', { tabindex: 0, role: 'region', 'aria-label': label }, element('code', {}, text));
}

/**
 * A value, or a text that holds JSON, as indented JSON; any other text as it is.
 * @param {unknown} value
 */
export function prettyJson(value) {
  if (typeof value !== 'string') return JSON.stringify(value, null, 2);
  try {
    const parsed = JSON.parse(value);
    return typeof parsed === 'object' ? JSON.stringify(parsed, null, 2) : value;
  } catch {
    return value;
  }
}

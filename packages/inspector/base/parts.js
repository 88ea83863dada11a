/** @import { Refused } from './api.js' */
import { actionButton } from './controls.js';
import { element } from './element.js';

/**
 * One part of a page: `make` builds its element from what `state` holds. Where there is a `refresh`, it
 * updates the element of a part with a new state.
 * @typedef {{ key: string, state: unknown, make: () => HTMLElement, refresh?: (made: HTMLElement) => void }} Part
 */

/** @type {WeakMap<Element, { key: string, state: unknown }>} */
const known = new WeakMap();

/**
 * Makes `parent` hold these parts in this order. An unchanged part keeps its element, with all that is open,
 * focused or half-written in it. A part that is made again keeps what was open and the focus.
 * @param {Element} parent
 * @param {(Part | null | false)[]} parts
 */
export function keepParts(parent, parts) {
  const before = new Map([...parent.children].map((child) => [known.get(child)?.key, child]));
  const after = parts.filter((part) => part !== null && part !== false).map((part) => keep(part, before.get(part.key)));
  /** @type {Set<Element>} */
  const kept = new Set(after);
  for (const child of [...parent.children]) if (!kept.has(child)) remove(child);
  let next = parent.firstElementChild;
  for (const child of after) {
    if (next === child) next = child.nextElementSibling;
    else parent.insertBefore(child, next);
  }
}

/**
 * @param {Part} part
 * @param {Element | undefined} old
 * @returns {HTMLElement}
 */
function keep({ key, state, make, refresh }, old) {
  const made = /** @type {HTMLElement | undefined} */ (old);
  if (made && isSame(known.get(made)?.state, state)) return made;
  const kept = made && refresh ? made : make();
  known.set(kept, { key, state });
  refresh?.(kept);
  if (made && kept !== made) takeOver(made, kept);
  return kept;
}

/**
 * Whether two values are equal; the same object is not compared field by field.
 * @param {unknown} a
 * @param {unknown} b
 * @returns {boolean}
 */
function isSame(a, b) {
  if (Object.is(a, b)) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
  const keys = Object.keys(a);
  if (keys.length !== Object.keys(b).length) return false;
  return keys.every((key) => isSame(Reflect.get(a, key), Reflect.get(b, key)));
}

/** @param {Element} child */
function remove(child) {
  const hadFocus = child.contains(document.activeElement);
  child.remove();
  if (hadFocus) focusPage();
}

/**
 * @param {HTMLElement} old
 * @param {HTMLElement} fresh
 */
function takeOver(old, fresh) {
  const opened = 'details[open][data-key]';
  for (const open of [...(old.matches(opened) ? [old] : []), ...old.querySelectorAll(opened)]) {
    likeIn(fresh, open)?.setAttribute('open', '');
  }
  const focused = old.contains(document.activeElement) ? document.activeElement : null;
  const keyed = focused?.closest('[data-key]');
  old.replaceWith(fresh);
  if (!focused) return;
  const next = keyed && likeIn(fresh, keyed);
  if (next) (next.querySelector('summary') ?? next).focus();
  else focusPage();
}

/**
 * The element of the same key: this one, or one within.
 * @param {HTMLElement} within
 * @param {Element} like
 * @returns {HTMLElement | null}
 */
function likeIn(within, like) {
  const selector = `[data-key="${CSS.escape(like.getAttribute('data-key') ?? '')}"]`;
  return within.matches(selector) ? within : within.querySelector(selector);
}

/** The focused element is gone; the page takes the focus, so that the keys still work. */
function focusPage() {
  document.getElementById('main')?.focus({ preventScroll: true });
}

/**
 * What the API refused, with a button to try again; empty where it refused nothing.
 * @param {Refused | null} refused
 * @param {() => void} again
 * @returns {Part[]}
 */
export function refusedPart(refused, again) {
  if (!refused) return [];
  const make = () =>
    element(
      'section',
      { class: 'trouble failed', role: 'alert' },
      element('p', {}, refused.message),
      element(
        'div',
        { class: 'actions' },
        actionButton('Try again', async () => again()),
      ),
    );
  return [{ key: 'refused', state: refused.message, make }];
}

import { element } from './element.js';

/**
 * A text in type of one width, as it is; it scrolls by keyboard too.
 * @param {string} text
 * @param {string} label what it is, for those who hear the page
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

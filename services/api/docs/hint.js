import { element } from '../inspector/base/element.js';

/**
 * A sentence in small, with what stands between backticks set as code.
 * @param {string} text
 */
export function hint(text) {
  const parts = text.split('`').map((part, index) => (index % 2 ? element('code', {}, part) : part));
  return element('span', { class: 'hint' }, ...parts);
}

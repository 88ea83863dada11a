/** @import { Child } from './element.js' */
import { element } from './element.js';

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

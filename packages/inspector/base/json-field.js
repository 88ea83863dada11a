import { Refused } from './api.js';
import { element, prettyJson } from './element.js';
import { placeIn, stepsBehind } from './json-place.js';

/**
 * A field for a value as JSON. What is wrong with it is said below, and its place is selected.
 * @param {string} label
 * @param {unknown} value
 */
export function jsonField(label, value) {
  const before = prettyJson(value);
  const field = element('textarea', {
    class: 'json',
    rows: Math.min(before.split('\n').length + 1, 16),
    spellcheck: 'false',
  });
  field.value = before;
  const problem = element('p', { class: 'problem', role: 'alert' });
  const made = element('div', { class: 'json-field' }, element('label', {}, label, field), problem);
  field.addEventListener('input', () => tell(''));

  /** @param {string} text */
  function tell(text) {
    problem.textContent = text;
    if (text) field.setAttribute('aria-invalid', 'true');
    else field.removeAttribute('aria-invalid');
  }
  return {
    made,
    isChanged: () => field.value !== before,
    /** The value; throws where the text is no JSON. */
    read: () => {
      try {
        return JSON.parse(field.value);
      } catch (error) {
        tell(error instanceof Error ? error.message : String(error));
        throw new Error(`${label}: this is no JSON yet.`);
      }
    },
    /**
     * Says what the API refused of this value; false where it refused another field.
     * @param {unknown} error
     * @param {string} root the path of this value in what was sent
     */
    refuse: (error, root) => {
      const steps = error instanceof Refused && error.param !== null ? stepsBehind(error.param, root) : null;
      if (!(error instanceof Refused) || steps === null) return false;
      const { from, to } = placeIn(field.value, steps);
      tell(`Line ${field.value.slice(0, from).split('\n').length}: ${error.message}`);
      field.focus();
      field.setSelectionRange(from, to);
      return true;
    },
  };
}

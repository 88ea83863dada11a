/** @import { Operation } from './described.js' */
import { element } from '../inspector/base/element.js';
import { methodBadge } from './operation-view.js';

/**
 * What there is, by tag, and a field to find something in it; what does not fit is left out on the whole page.
 * @param {{ name: string, operations: Operation[] }[]} tags
 */
export function contents(tags) {
  const field = element('input', {
    id: 'find',
    type: 'search',
    placeholder: 'Find  /',
    'aria-label': 'Find an operation',
  });
  field.addEventListener('input', () => {
    const wanted = field.value.trim().toLowerCase();
    for (const { method, path, summary, operationId } of tags.flatMap(({ operations }) => operations)) {
      const isLeftOut = !`${method} ${path} ${summary} ${operationId}`.toLowerCase().includes(wanted);
      for (const id of [operationId, `to-${operationId}`])
        document.getElementById(id)?.toggleAttribute('hidden', isLeftOut);
    }
  });
  return [
    field,
    ...tags.map(({ name, operations }) => element('section', {}, element('h4', {}, name), operations.map(entry))),
  ];
}

/** @param {Operation} operation */
function entry({ operationId, method, path, summary }) {
  const props = { class: 'entry', id: `to-${operationId}`, href: `#${operationId}`, title: summary };
  return element('a', props, methodBadge(method), ' ', path);
}

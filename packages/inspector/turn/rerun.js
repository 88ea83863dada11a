/** @import { TurnResource } from '#core/turn/resource/turn.ts' */
import { call } from '../base/api.js';
import { askFirst } from '../base/dialog.js';
import { element } from '../base/element.js';
import { compareHref } from '../route.js';
import { modelNames } from '../start/model-names.js';

/**
 * Asks with what to run an ended turn again, and goes to where both stand side by side.
 * @param {{ id: string, model: string }} turn
 */
export async function askRerun({ id, model }) {
  const named = element('input', { value: model, list: 'rerun-models', required: true });
  const isReused = element('input', { type: 'checkbox', checked: true });
  await askFirst({
    title: 'Rerun this turn',
    texts: [
      'The same input is asked in a new conversation, which stands on what came before.',
      element('label', {}, 'Model', named, await modelChoice()),
      element('label', { class: 'box words' }, isReused, 'Answer calls from what is recorded'),
    ],
    action: 'Run it',
    work: async () => {
      const body = { model: named.value.trim(), tool_results: isReused.checked ? 'reuse' : 'run' };
      /** @type {TurnResource} */
      const turn = await call('POST', `/v1/turns/${id}/rerun`, { body });
      location.hash = compareHref(id, turn.id);
    },
  });
}

async function modelChoice() {
  const { data } = /** @type {{ data: { name: string }[] }} */ (await call('GET', '/v1/models'));
  return element(
    'datalist',
    { id: 'rerun-models' },
    modelNames(data).map((value) => element('option', { value })),
  );
}

import { createRef } from 'preact';
import { call } from '../base/call.ts';
import { askFirst } from '../base/dialog.tsx';
import type { Turn } from '../base/turn.ts';
import { compareHref } from '../route.ts';
import { Options } from '../start/request-field.tsx';
import { modelNames } from '../start/turn-request.ts';

/** Asks for the model of a rerun, and opens the page that shows both turns side by side. */
export async function askRerun({ id, model }: Pick<Turn, 'id' | 'model'>): Promise<void> {
  const name = createRef<HTMLInputElement>();
  const isReused = createRef<HTMLInputElement>();
  const { data } = await call<{ data: { name: string }[] }>('GET', '/v1/models');
  await askFirst({
    title: 'Rerun this turn',
    body: (
      <>
        <p>Pawl sends the same input in a new conversation, which has the same history.</p>
        <label>
          Model
          <input ref={name} defaultValue={model} list="rerun-models" required />
          <Options id="rerun-models" values={modelNames(data)} />
        </label>
        <label class="box words">
          <input ref={isReused} type="checkbox" defaultChecked />
          Answer calls from the record
        </label>
      </>
    ),
    action: 'Run it',
    work: async () => {
      const results = isReused.current?.checked ? 'reuse' : 'run';
      const body = { model: name.current?.value.trim(), tool_results: results };
      const turn = await call<Turn>('POST', `/v1/turns/${id}/rerun`, { body });
      location.hash = compareHref(id, turn.id);
    },
  });
}

import type { Harness } from '#test/harness/create-harness.ts';
import { scripted } from '#test/harness/scripted.ts';
import { workMeanwhile } from './play-completions.ts';
import type { Ask } from './visitor.ts';

type Compacted = { output: object[] };

const model = 'openai/test';
const image = { type: 'input_image', image_url: 'data:image/png;base64,iVBORw0KGgo=' };

/** Compacts histories under each base, and sends a compacted history again. */
export async function playCompactions(ask: Ask, harness: Harness): Promise<void> {
  for (const base of ['/v1', '/openai/v1']) {
    const compact = (body: object) =>
      workMeanwhile(harness, () => ask<Compacted>('POST', `${base}/responses/compact`, { body: { model, ...body } }));
    const { output } = await compact({ input: [{ role: 'user', content: [image] }], instructions: 'Be brief.' });
    await compact({ input: output });
    const body = { model, background: true, input: output };
    const { id } = await ask<{ id: string }>('POST', `${base}/responses`, { body });
    await harness.workUntilIdle();
    await ask('GET', `${base}/responses/${id}/input_items`);
    await compact({ previous_response_id: id });
    await compact({ input: scripted({ summary: { say: 'Ada', fault: { kind: 'status', status: 400 } } }) });
  }
}

/** Requests compactions, each with a different reason to be refused or to fail. */
export async function compactWrongly(ask: Ask, harness: Harness): Promise<void> {
  const forged = { type: 'compaction', encrypted_content: 'pawl1.AAAA' };
  const cut = scripted({ summary: { say: 'Ada sa', finish_reason: 'length' } });
  for (const body of [{}, { input: [forged] }, { input: 'Hi', tools: [] }, { input: cut }]) {
    await workMeanwhile(harness, () => ask('POST', '/v1/responses/compact', { body: { model, ...body } }));
  }
}

import { expect, test } from 'vitest';
import { enter, envAt, HOUR_MS, MODELS, openBatches, pass, rowsOf, untilEnded } from './batch-turns.ts';
import { openDetour } from './open-detour.ts';

test.for(['chat', 'anthropic'] as const)(
  'results that are away for a while over %s are read later, without an attempt',
  async (wire) => {
    await using detour = await openDetour();
    await using harness = await openBatches({ env: (url) => envAt(detour.leadTo(url)) });
    const { id } = await enter(harness, { batch: { delay_ms: HOUR_MS } }, { model: MODELS[wire] });
    await pass(harness);
    const [batch] = harness.keptBatches.list();
    detour.refuse((path) => /\/(content|results)$/.test(path));
    harness.keptBatches.end(batch!.id);
    for (let minutes = 0; minutes < 10; minutes += 1) await pass(harness);
    expect(detour.refused.length).toBeGreaterThan(4);
    detour.refuse(() => false);

    const turn = await untilEnded(harness, id);

    expect(turn).toMatchObject({ status: 'completed', rounds: [{ attempts: 1 }] });
    expect(harness.keptBatches.created).toHaveLength(1);
    await pass(harness);
    expect(await rowsOf(harness)).toEqual({ batches: [], requests: [] });
  },
);

import { expect } from 'vitest';
import { enter, MODELS, pass, rowsOf, test, untilEnded } from './batch-turns.ts';

const script = { rounds: [{ tools: [{ name: 'weather_lookup', arguments: { city: 'Tokyo' } }] }] };

test.for(Object.entries(MODELS))(
  'a turn with a tool finishes by batch over the wire %s',
  async ([, model], { harness }) => {
    const entered = await enter(harness, script, { model });
    expect(entered).toMatchObject({ status: 'in_progress', waiting: { for: 'batch' } });

    const turn = await untilEnded(harness, entered.id);

    expect(turn).toMatchObject({ status: 'completed', output: 'It is sunny in Tokyo.' });
    expect(turn.rounds.map(({ attempts }) => attempts)).toEqual([1, 1]);
    expect(harness.modelRequests).toEqual([]);
    expect(harness.keptBatches.created).toHaveLength(2);
    await pass(harness);
    await pass(harness);
    expect(await rowsOf(harness)).toEqual({ batches: [], requests: [] });
  },
);

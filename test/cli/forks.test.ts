import { expect } from 'vitest';
import { scripted } from '#test/harness/scripted.ts';
import { test } from '#test/harness/test.ts';
import { runPawl } from './run-pawl.ts';

test('a turn is forked and rerun from the terminal, and watched', async ({ harness, worker: _ }) => {
  const call = { name: 'weather_lookup', arguments: { city: 'Rome' } };
  const input = scripted({ rounds: [{ tools: [call] }], answer: 'Sunny.' });
  const { id } = await harness.startTurn({ input, tools: [call.name] });
  await harness.untilEnded(id);

  const said = scripted({ answer: 'Cloudy.' });
  const forked = await runPawl(harness.url, ['fork', id, said, '--after-round', '1']);
  const again = await runPawl(harness.url, ['rerun', id, '--instructions', 'Be brief.']);
  const wrong = await runPawl(harness.url, ['fork', id, '--after-round', '-1']);
  const none = await runPawl(harness.url, ['rerun', 'conv_1']);

  expect([forked.exitCode, forked.output]).toEqual([0, expect.stringContaining('Cloudy.')]);
  expect([again.exitCode, again.output]).toEqual([0, expect.stringContaining('Sunny.')]);
  expect([wrong.exitCode, none.exitCode]).toEqual([2, 2]);
});

test('a rerun shows reused results as reused, and only new calls as run', async ({ harness, worker: _ }) => {
  const [rome, oslo] = ['Rome', 'Oslo'].map((city) => ({ name: 'weather_lookup', arguments: { city } }));
  const input = scripted({ rounds: [{ tools: [rome!] }, { tools: [oslo!] }], answer: 'Sunny.' });
  const { id } = await harness.startTurn({ input, tools: ['weather_lookup'] });
  await harness.untilEnded(id);

  const first = await runPawl(harness.url, ['watch', id]);
  const again = await runPawl(harness.url, ['rerun', id]);

  expect(first.output).toContain('tools · a worker runs the call');
  expect(first.output).not.toContain('reused');
  expect(again.output).not.toContain('a worker runs');
  expect(again.output).not.toContain('checkpoint b');
  expect(again.output.match(/✓ weather_lookup +(Rome|Oslo) +reused/g)).toHaveLength(2);
});

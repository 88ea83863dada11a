import { expect } from 'vitest';
import { test } from '#test/harness/test.ts';
import { runPawl } from './run-pawl.ts';

test('schedules are created, listed, shown with their firings, disabled and deleted', async ({ harness }) => {
  const pawl = (...args: string[]) => runPawl(harness.url, ['schedules', ...args]);

  const made = await pawl('create', '--cron', '0 9 * * 1-5', '--time-zone', 'Europe/Zurich', 'What', 'is', 'new?');
  const [id = ''] = made.output.split(' ');
  const every = await pawl('create', '--every', '60', '--model', 'openai/test', 'Hi', '--json');
  const other = JSON.parse(every.output) as { id: string; turn: unknown };
  await harness.advance(60_000);
  await harness.fireSchedules();
  const list = await pawl();
  const lines = await pawl('--json');
  const before = await pawl('--json', 'show', other.id);
  const after = await pawl('show', other.id, '--json');
  const shown = await pawl('show', other.id);
  const disabled = await pawl('disable', id);
  const deleted = await pawl('delete', id);
  const wrong = await pawl('create', '--cron', 'now', 'Hi');
  const misused = await pawl('show');

  expect(made.output).toMatch(
    /^sched_\w+ {2}0 9 \* \* 1-5 \(Europe\/Zurich\) {2}next 20\d\d-\d\d-\d\d 0[78]:00:00Z\n$/,
  );
  expect(other.turn).toMatchObject({ input: 'Hi', model: 'openai/test' });
  expect(list.output.trim().split('\n')).toEqual([
    expect.stringMatching(`^${other.id}  every 60 s  next `),
    made.output.trim(),
  ]);
  expect(lines.output.trim().split('\n').map(idOf)).toEqual([other.id, id]);
  expect(idOf(before.output)).toBe(other.id);
  expect(after.output).toBe(before.output);
  expect(shown.output).toMatch(/\n {2}20\d\d-\d\d-\d\d \d\d:\d\d:\d\dZ {2}turn_\w+\n$/);
  expect(disabled.output).toContain('disabled');
  expect(deleted.output).toBe(`${id} was deleted.\n`);
  expect([wrong.exitCode, wrong.complaints]).toEqual([1, expect.stringContaining('Give five fields')]);
  expect([misused.exitCode, misused.complaints]).toEqual([
    2,
    expect.stringContaining("Missing required argument 'sched_…'."),
  ]);
});

function idOf(line: string): string {
  return JSON.parse(line).id;
}

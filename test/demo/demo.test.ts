import { stripVTControlCharacters } from 'node:util';
import { expect, test } from 'vitest';
import { runScript } from './run-script.ts';

const elsewhere = { DATABASE_URL: 'postgres://nobody@127.0.0.1:1/none', REDIS_URL: 'redis://127.0.0.1:1' };

test('the demo kills a worker and shows that no work is lost or done twice', async () => {
  const { output, complaints, exitCode } = await runScript(['demo/main.ts'], elsewhere);

  expect(complaints).toBe('');
  expect(exitCode).toBe(0);
  expect(output).toMatch(/SIGKILL: worker [12] \(pid \d+\) is dead, in the middle of round 3/);
  expect(output).toMatch(/SIGKILL: worker ([12]) [\s\S]*round 3, attempt 2 · worker (?!\1)[12] asks the model/);
  expect(output).not.toContain('· a worker');
  expect(output.trim().split('\n')[0]).toContain('Pawl: one turn, two workers');
  expect(output).toMatch(/starting PostgreSQL[\s\S]*setting up PostgreSQL in a new folder …[\s\S]*PostgreSQL is ready/);
  expect(output).toMatch(/✓ checkpoint r4 · the turn is completed/);
  expect(output).toMatch(/webhook received: turn\.completed, its signature is valid/);
  expect(output).toMatch(/model calls +4 +5 +round 3 again/);
  expect(output).toMatch(/book_flight +1 +1 +at_most_once/);
  expect(output).toMatch(/events +(\d+) +\1 +1 to \1, no gap, none twice/);
  expect(Math.max(...output.split('\n').map((line) => line.length))).toBeLessThanOrEqual(80);
  expect(stripVTControlCharacters(output)).toBe(output);
});

test('the demo of responses kills every process, and an OpenAI client gets the text', async () => {
  const { output, complaints, exitCode } = await runScript(['demo/main.ts', 'responses'], elsewhere);

  expect(complaints).toBe('');
  expect(exitCode).toBe(0);
  expect(output).toMatch(/SIGKILL: The API \(pid \d+\), worker 1 \(pid \d+\), worker 2/);
  expect(output).toMatch(/stream_superseded: the model replies again/);
  expect(output.match(/starting_after=\d+/g)).toHaveLength(2);
  expect(output).toMatch(/text in deltas +(\d+) characters, of \1 .*\n +text as stored +\1 characters/);
  expect(output).toMatch(/model calls +2 /);
  expect(Math.max(...output.split('\n').map((line) => line.length))).toBeLessThanOrEqual(80);
});

test('the demo of batches kills a worker, repeats no request, and halves the cost', async () => {
  const { output, complaints, exitCode } = await runScript(['demo/main.ts', 'batch'], elsewhere);

  expect(complaints).toBe('');
  expect(exitCode).toBe(0);
  expect(output).toMatch(/(worker [12]) sends batch \d+ with \d+ rounds\n.*SIGKILL: \1 \(pid \d+\)/);
  expect(output).toMatch(/SIGKILL: (worker [12]) [\s\S]*(?!\1)worker [12] finds the batch in the list/);
  expect(output).toMatch(/rounds +80 +80 +of 20 turns\n +requests +80 +80 +in \d+ batches, none twice/);
  expect(output).toMatch(/order_stock +20 +20 +at_most_once/);
  expect(output).toMatch(/without batches +\$1\.0080\n +by batch +\$0\.5040 +50 %/);
  expect(Math.max(...output.split('\n').map((line) => line.length))).toBeLessThanOrEqual(80);
});

test('the demo names its acts if the given act does not exist', async () => {
  const { complaints, exitCode } = await runScript(['demo/main.ts', 'second']);

  expect(complaints).toContain('Act second not found. Run npm run demo with -- turn, -- responses or -- batch.');
  expect(exitCode).toBe(1);
});

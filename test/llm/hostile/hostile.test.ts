import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { TurnError } from '#core/turn/turn.ts';
import { openStream } from '#test/api/stream/open-stream.ts';
import { createHarness, type Harness } from '#test/harness/create-harness.ts';
import { startProcess, type TestProcess } from '#test/harness/start-process.ts';
import { attacks, MARKER, MARKERS, modelOf } from './attacks.ts';
import { startHostileServer } from './hostile-server.ts';
import { wires } from './wire-pieces.ts';

const HEAP_MIB = 512;

let server: Awaited<ReturnType<typeof startHostileServer>>;
let harness: Harness;
let worker: TestProcess;

beforeAll(async () => {
  server = await startHostileServer();
  const servers = wires.map((wire) => [
    `hostile-${wire}`,
    { kind: wire, base_url: server.baseUrl(wire), api_key: 'key' },
  ]);
  const bridge = { kind: 'ai-sdk', module: '@ai-sdk/mistral', export: 'createMistral' };
  const options = { baseURL: server.baseUrl('openai'), apiKey: 'key' };
  const providers = { ...Object.fromEntries(servers), 'hostile-package': { ...bridge, options } };
  harness = await createHarness({ env: { PAWL_PROVIDERS: JSON.stringify(providers) } });
  worker = await startProcess('worker', {
    ...harness.env,
    NODE_OPTIONS: `--max-old-space-size=${HEAP_MIB}`,
  });
});

afterAll(async () => {
  await worker[Symbol.asyncDispose]();
  await harness[Symbol.asyncDispose]();
  await server[Symbol.asyncDispose]();
});

/** Returns the failure of a turn's first attempt, and cancels the turn. */
async function firstFailure(request: Record<string, unknown>): Promise<TurnError> {
  const { id } = await harness.startTurn({ input: 'Hi', ...request });
  const events = await openStream(`${harness.url}/v1/turns/${id}/events`, { after: 0 });
  const isFailure = ({ type }: { type: string }) => type === 'step.retrying' || type === 'turn.failed';
  await events.until((seen) => seen.some(isFailure));
  events.leave();
  await harness.call('POST', `/v1/turns/${id}/cancel`);
  const { error } = events.seen.find(isFailure)!.data as { error: TurnError };
  return error;
}

/** Returns the first failures of turns that follow each other. */
async function inSequence(requests: Record<string, unknown>[]): Promise<TurnError[]> {
  const failures: TurnError[] = [];
  for (const request of requests) failures.push(await firstFailure(request));
  return failures;
}

async function endOf(id: string): Promise<unknown> {
  const events = await openStream(`${harness.url}/v1/turns/${id}/events`, { after: 0 });
  await events.over;
  return (await harness.findTurn(id)).status;
}

describe('a worker with 512 MiB of heap, against a provider that sends', () => {
  test.each(Object.entries(attacks))(
    '%s: the attempt fails and names the bound, and another turn ends',
    async (name, { on, says, isLarge }) => {
      const providers = on.includes('openai') ? [...on, 'package'] : on;
      const requests = providers.map((each) => ({ model: `hostile-${each}/${modelOf(name)}` }));
      const failing = isLarge ? inSequence(requests) : Promise.all(requests.map(firstFailure));
      const beside = await harness.startTurn({ model: 'openai/test', input: 'Say something.' });

      const ended = await endOf(beside.id);
      const failures = await failing;

      expect(ended).toBe('completed');
      const code = /503/.test(says.source) ? 'provider_unavailable' : 'provider_bad_response';
      for (const failure of failures) {
        expect(failure).toMatchObject({ code, message: expect.stringMatching(says), retryable: true });
      }
    },
  );

  test.each(wires)('thousands of unclosed markers on the %s wire are read as text in time', async (wire) => {
    const model = `hostile-${wire}/${modelOf('markers')}`;
    const { id } = await harness.startTurn({ model, input: 'Hi', tool_mode: 'inline', tools: ['weather_lookup'] });

    expect(await endOf(id)).toBe('completed');
    expect((await harness.findTurn(id)).output).toHaveLength(MARKERS * MARKER.length);
  });
});

test('the worker survives all hostile answers', async () => {
  expect(await worker.kill('SIGTERM')).toBe(0);
});

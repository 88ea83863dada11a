import { expect, test } from 'vitest';
import type { TurnResource } from '#core/turn/resource/turn.ts';
import { migrateAll } from '#services/migrate/migrate-all.ts';
import { apiClient } from '#test/harness/api-client.ts';
import { newFolder } from '#test/harness/new-folder.ts';
import { describeQueues } from '#test/harness/queues.ts';
import { scripted } from '#test/harness/scripted.ts';
import { openToolRecorder, type RecordedCall } from '#test/harness/servers/tool-recorder.ts';
import { startProcess } from '#test/harness/start-process.ts';
import { openFailoverPair } from '#test/harness/stores/open-failover-pair.ts';
import { testRedisUrl } from '#test/harness/stores/test-database.ts';
import { untilLogged } from '#test/harness/until-logged.ts';
import { waitUntil } from '#test/harness/wait-until.ts';

const timeout = 240_000;

describeQueues(({ redis }) => {
  test('a failover to a standby loses, doubles and blocks no accepted turn', {
    timeout,
  }, async () => {
    await using folder = await newFolder('failover');
    await using pair = await openFailoverPair({ folder: folder.path });
    await using recorder = await openToolRecorder();
    await migrateAll(pair.url);
    const env = {
      DATABASE_URL: pair.url,
      PORT: '0',
      PAWL_EGRESS_ALLOW: '127.0.0.1',
      ...(redis && { REDIS_URL: testRedisUrl() }),
    };
    await using api = await startProcess('api', env);
    await using first = await startProcess('worker', env);
    await using second = await startProcess('worker', env);
    const { url } = await untilLogged(api, 'process.ready');
    const { call, findTurn, listEvents } = apiClient(String(url));
    const load = startLoad(call, recorder.url);
    await recorder.called('book', 21);

    await pair.killPrimary();
    await waitUntil(async () => expect((await call('GET', '/readyz')).status).toBe(503));
    const refused = await load.refusals();
    await pair.promote();
    await waitUntil(async () => expect((await call('GET', '/readyz')).status).toBe(200));
    const ids = await load.stop();
    const ended = await waitUntil(async () => {
      const turns = await Promise.all(ids.map(findTurn));
      expect(turns.map(({ status }) => status)).toEqual(turns.map(() => 'completed'));
      return turns;
    });
    const events = await Promise.all(ids.map(listEvents));

    expect(refused).toBeGreaterThan(0);
    expect(ids.length).toBeGreaterThan(20);
    expect(ended.every(isWhole)).toBe(true);
    expect(new Set(ended.map(({ input }) => JSON.stringify(input))).size).toBe(ids.length);
    for (const numbers of events.map((all) => all.map((event) => event.sequence_number)))
      expect(numbers).toEqual(numbers.map((_, index) => index + 1));
    expect(repeated(recorder.calls.filter(({ tool }) => tool === 'book'))).toEqual([]);
    for (const part of [api, first, second]) await part.kill('SIGKILL');
  });
});

/** Returns whether a turn has two rounds with a call each, and an answer. */
const isWhole = ({ rounds, output }: TurnResource) => rounds.length === 3 && output === 'Done.';

function repeated(calls: RecordedCall[]): string[] {
  const marks = calls.map(({ mark }) => mark);
  return marks.filter((mark, index) => marks.indexOf(mark) !== index);
}

type Call = ReturnType<typeof apiClient>['call'];

/** Starts a turn every 100 ms until stopped. A refused request is repeated with the same key. */
function startLoad(call: Call, toolUrl: string) {
  const waiting = new Set<Promise<string>>();
  let refusals = 0;
  let onRefusal = () => {};
  const start = async (number: number): Promise<string> => {
    const request = { headers: { 'idempotency-key': `turn-${number}` }, body: turnOf(number, toolUrl) };
    const { status, body } = await waitUntil(async () => {
      const answer = await call<{ id: string }>('POST', '/v1/turns', request);
      if (answer.status !== 503) return answer;
      refusals += 1;
      onRefusal();
      throw new Error('refused');
    });
    expect([200, 202], JSON.stringify(body)).toContain(status);
    return body.id;
  };
  const timer = setInterval(() => waiting.add(start(waiting.size)), 100);
  return {
    /** Resolves after a turn was refused. */
    refusals: async () => {
      if (refusals === 0) await new Promise<void>((resolve) => (onRefusal = resolve));
      return refusals;
    },
    stop: () => {
      clearInterval(timer);
      return Promise.all(waiting);
    },
  };
}

function turnOf(number: number, toolUrl: string) {
  const parameters = { type: 'object', properties: { mark: { type: 'string' }, wait_ms: { type: 'number' } } };
  const tools = ['book', 'note'].map((name) => ({
    name,
    description: 'Does something that is counted',
    parameters,
    execution: { kind: 'http', url: `${toolUrl}/${name}` },
    effect: name === 'book' ? 'at_most_once' : 'idempotent',
  }));
  const rounds = tools.map(({ name }) => ({
    say: 'Working.',
    tools: [{ name, arguments: { mark: `${name}-${number}`, wait_ms: 300 } }],
    think_ms: 200,
  }));
  return { model: 'sim/test', input: scripted({ rounds, answer: 'Done.', final: { think_ms: 200 } }), tools };
}

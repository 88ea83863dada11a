import { expect } from 'vitest';
import { apiClient } from '#test/harness/api-client.ts';
import { scripted } from '#test/harness/scripted.ts';
import { openToolRecorder } from '#test/harness/servers/tool-recorder.ts';
import { startProcess } from '#test/harness/start-process.ts';
import { createTestDatabase } from '#test/harness/stores/test-database.ts';
import { untilLogged } from '#test/harness/until-logged.ts';

const ROUNDS = [1, 2, 3];

/** Opens bookings: turns of three slow rounds that each book once, and a record of these bookings. */
export async function openBookings() {
  const recorder = await openToolRecorder();
  const database = await createTestDatabase();
  const tools = [
    {
      name: 'book',
      description: 'Books what it is told.',
      execution: { kind: 'http', url: `${recorder.url}/book` },
      effect: 'at_most_once',
    },
  ];
  const started: { id: string; mark: string }[] = [];

  return {
    /** Resolves after this number of bookings. */
    booked: (times: number) => recorder.called('book', times),
    /** Starts an API and workers as processes with the same REDIS_URL. */
    serve: async (
      redisUrl: string,
      { workers = 2, env = {} }: { workers?: number; env?: Record<string, string> } = {},
    ) => {
      await using opened = new AsyncDisposableStack();
      const all = { DATABASE_URL: database, REDIS_URL: redisUrl, PORT: '0', PAWL_EGRESS_ALLOW: '127.0.0.1', ...env };
      const api = opened.use(await startProcess('api', all));
      const url = String((await untilLogged(api, 'process.ready')).url);
      const client = apiClient(url);
      const atWork = await Promise.all(Array.from({ length: workers }, () => startProcess('worker', all)));
      for (const worker of atWork) opened.use(worker);
      const closing = opened.move();
      const start = async (marks: string) => {
        const begin = async (mark: string) => {
          const { id } = await client.startTurn({ model: 'sim/booking', input: inputOf(mark), tools });
          started.push({ id, mark });
        };
        await Promise.all([...marks].map(begin));
      };
      return {
        ...client,
        url,
        start,
        processes: [api, ...atWork],
        [Symbol.asyncDispose]: () => closing.disposeAsync(),
      };
    },
    /** Waits until all turns are completed, and expects that each round has booked once. */
    untilAllBooked: async ({ untilEnded }: Pick<ReturnType<typeof apiClient>, 'untilEnded'>) => {
      const turns = await Promise.all(started.map(({ id }) => untilEnded(id)));
      expect(turns.map(({ status }) => status)).toEqual(started.map(() => 'completed'));
      const marks = started.flatMap(({ mark }) => ROUNDS.map((number) => `${mark}-${number}`));
      expect(recorder.calls.map(({ mark }) => mark).toSorted()).toEqual(marks.toSorted());
    },
    [Symbol.asyncDispose]: () => recorder[Symbol.asyncDispose](),
  };
}

function inputOf(mark: string): string {
  const roundOf = (number: number) => ({
    think_ms: 700,
    tools: [{ name: 'book', arguments: { mark: `${mark}-${number}` } }],
  });
  return scripted({ rounds: ROUNDS.map(roundOf) });
}

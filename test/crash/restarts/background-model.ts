import { startSimulator } from '#simulator/start-simulator.ts';
import { makeGate } from '#test/harness/gate.ts';
import { WHICH_TRY } from '../../harness/servers/changing-model.ts';

/** Opens a model with background responses that may give a different answer when a request is repeated. */
export async function openBackgroundModel() {
  const gate = makeGate();
  const creates = new Map<string, number>();
  const streamed = new Set<string>();
  const { baseUrl, responses, stop } = await startSimulator({
    onRequest: ({ headers, body }) => {
      const [turnId, round] = String(headers['x-client-request-id']).split('.');
      const name = `${turnId}.${round}`;
      const which = (creates.get(name) ?? 0) + 1;
      creates.set(name, which);
      Object.assign(body, JSON.parse(JSON.stringify(body).replaceAll(WHICH_TRY, String(which))));
      return gate.pass();
    },
    onResponseRequest: ({ kind, id }) => kind === 'stream' && streamed.add(id),
  });
  const running = () => responses.list().filter(({ status }) => status === 'in_progress');
  return {
    ...{ baseUrl, responses, creates },
    /** Holds the next answers until the test releases them. */
    hold: gate.close,
    /** Returns whether a worker has resumed each of this number of running responses. */
    areResumed: (count: number) => running().filter(({ id }) => streamed.has(id)).length === count,
    /** Ends the pause of all responses. */
    skipAll: () => {
      for (const { id } of running()) responses.skipDelay(id);
    },
    [Symbol.asyncDispose]: stop,
  };
}

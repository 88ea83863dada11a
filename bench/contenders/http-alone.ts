import { type Dispatcher, Pool } from 'undici';
import type { Contender, ContenderSetup } from '../contender.ts';
import { CALLS, inputOf, MODEL, WIRE_TOOLS, WORDS, type Work } from '../work.ts';

const CONNECTIONS = 1_000;

/** The model calls of a turn and nothing else: the same bodies to the same simulator, the streams read and dropped. */
export async function httpAlone({ harness, work }: ContenderSetup): Promise<Contender> {
  const { origin, pathname } = new URL(harness.modelUrl);
  const client = new Pool(origin, { connections: CONNECTIONS });
  const bodies = Array.from({ length: work.rounds }, (_, earlier) => JSON.stringify(requestAfter(earlier, work)));
  return {
    playTurn: async () => {
      for (const body of bodies) await callModel(client, { path: `${pathname}/chat/completions`, body });
    },
    pids: {},
    close: () => client.destroy(),
  };
}

async function callModel(client: Pool, { path, body }: { path: string; body: string }): Promise<void> {
  const headers = { 'content-type': 'application/json', authorization: 'Bearer sk-bench' };
  const request: Dispatcher.RequestOptions = { method: 'POST', path, headers, body };
  const { statusCode, body: answer } = await client.request(request);
  const text = await answer.text();
  if (statusCode !== 200 || !text.endsWith('data: [DONE]\n\n'))
    throw new Error(`The model answered ${statusCode}: ${text}`);
}

/** What Pawl sends in a round after `earlier` rounds. */
function requestAfter(earlier: number, work: Work) {
  const rounds = Array.from({ length: earlier }, (_, round) => messagesOf(round));
  return {
    model: MODEL,
    messages: [{ role: 'user', content: inputOf(work) }, ...rounds.flat()],
    stream_options: { include_usage: true },
    tools: WIRE_TOOLS,
    stream: true,
  };
}

function messagesOf(round: number) {
  const calls = CALLS.map(({ name, arguments: args }, index) => ({
    id: `call_1_${round * (CALLS.length + 1)}_${index}`,
    type: 'function',
    function: { name, arguments: JSON.stringify(args) },
  }));
  const content = JSON.stringify({ article: 'A-4711', price: 12.5, currency: 'EUR' });
  const results = calls.map(({ id }) => ({ role: 'tool', tool_call_id: id, content }));
  return [{ role: 'assistant', content: WORDS, tool_calls: calls }, ...results];
}

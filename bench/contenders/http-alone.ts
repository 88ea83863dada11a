import { type Dispatcher, Pool } from 'undici';
import { renderRequest } from '#core/llm/openai/render-request.ts';
import type { Message } from '#core/turn/message.ts';
import type { Contender } from '../contender.ts';
import type { Ground } from '../ground/open-ground.ts';
import tools from '../tools.ts';
import { CALLS, INPUT, ROUNDS, WORDS } from '../work.ts';

const CONNECTIONS = 1_000;

/** The model calls of a turn and nothing else: the same bodies to the same simulator, the streams read and dropped. */
export async function httpAlone({ modelUrl }: Ground): Promise<Contender> {
  const { origin, pathname } = new URL(modelUrl);
  const client = new Pool(origin, { connections: CONNECTIONS });
  const bodies = Array.from({ length: ROUNDS }, (_, earlier) => bodyAfter(earlier));
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

/** What Pawl sends in the round that has `earlier` rounds behind it. */
function bodyAfter(earlier: number): string {
  const rounds = Array.from({ length: earlier }, (_, round) => messagesOf(round));
  const request = {
    ...{
      model: 'bench',
      instructions: null,
      tools: tools.map(({ definition }) => definition),
      toolChoice: 'auto' as const,
    },
    ...{ parallelToolCalls: null, temperature: null, maxOutputTokens: null, providerOptions: {}, requestId: '' },
    messages: [{ role: 'user' as const, content: INPUT }, ...rounds.flat()],
  };
  return JSON.stringify(renderRequest(request, { provider: 'openai', maxTokensField: 'max_completion_tokens' }));
}

function messagesOf(round: number): Message[] {
  const calls = CALLS.map(({ name, arguments: args }, index) => ({
    id: `call_1_${round * (CALLS.length + 1)}_${index}`,
    name,
    arguments: JSON.stringify(args),
  }));
  const content = JSON.stringify({ article: 'A-4711', price: 12.5, currency: 'EUR' });
  const results = calls.map(({ id, name }) => ({ role: 'tool' as const, callId: id, name, content, isError: false }));
  return [{ role: 'assistant', content: WORDS, calls }, ...results];
}

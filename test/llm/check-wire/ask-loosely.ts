import { bounded } from '#core/llm/bounded.ts';
import type { Delta, Provider, RoundRequest } from '#core/llm/provider.ts';
import { settleEmpty } from '#core/llm/reply/settle-empty.ts';
import { Tool } from '#core/turn/request/tool.ts';
import { someRequest } from '#test/llm/provider-exam.ts';
import { type Answer, startWireServer } from '#test/llm/wire-server.ts';

const weather = Tool.parse({ name: 'get_weather', description: 'Get the weather of a city' });

/** Makes the function that asks a provider with the tool `get_weather`. It returns the reply, the deltas and the requests. */
export function askLoosely(makeProvider: (origin: string) => Provider) {
  return async (answers: Answer | Answer[], change: Partial<RoundRequest> = {}) => {
    await using server = await startWireServer();
    const [first, ...rest] = [answers].flat();
    server.answer(first!);
    server.answerNext(...rest);
    const provider = settleEmpty(bounded(makeProvider(server.origin), { timeoutMs: 20_000, idleTimeoutMs: 20_000 }));
    const request = { ...someRequest, tools: [weather], declaredTools: [weather], ...change };
    const deltas: Delta[] = [];
    const reply = await provider.ask(request, new AbortController().signal, (delta) => deltas.push(delta));
    return { reply, deltas, asked: server.asked };
  };
}

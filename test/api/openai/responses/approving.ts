import type OpenAI from 'openai';
import { createHarness, type Harness } from '#test/harness/create-harness.ts';
import { httpTool } from '#test/harness/http-tool.ts';
import { scripted } from '#test/harness/scripted.ts';
import { openExternalServer, type Reply } from '#test/harness/servers/external-server.ts';
import { openaiClient, raised } from './openai-client.ts';

type Body = Omit<OpenAI.Responses.ResponseCreateParamsNonStreaming, 'model'>;
type Message = { role: string; content: unknown; tool_call_id?: string };

export type AskedCall = { name: string; id: string; arguments: object };

export const pay = (id = 'call_pay'): AskedCall => ({ name: 'pay', id, arguments: { city: 'Rome' } });
export const locate = (id = 'call_locate'): AskedCall => ({ name: 'locate', id, arguments: {} });
export const look = (id = 'call_look'): AskedCall => ({ name: 'look', id, arguments: { city: 'Rome' } });

/** Returns an input that lets the model request calls, and answer after their results. */
export const asking = (...calls: AskedCall[]) =>
  scripted({ rounds: [{ say: 'Let me pay.', tools: calls as [] }], answer: 'All is paid.' });

/** Returns the answer of a person to a request. */
export const answered = (approval_request_id: string, approve = true, reason?: string) => ({
  ...{ type: 'mcp_approval_response' as const, approval_request_id, approve },
  ...(reason === undefined ? {} : { reason }),
});

export function requestsOf({ output }: Pick<OpenAI.Responses.Response, 'output'>): string[] {
  return output.flatMap((item) => (item.type === 'mcp_approval_request' ? [item.id] : []));
}

/** Opens a harness with the tools `pay`, which needs approval, and `look`. Their server records its requests. */
export async function openApproving({
  reply = () => ({ status: 200, body: 'paid' }),
  ...options
}: {
  redis?: boolean;
  reply?: (number: number) => Reply;
} = {}) {
  const harness = await createHarness(options);
  const server = await openExternalServer(reply);
  const tools = [
    httpTool('pay', server.url, { approval: 'always' }),
    httpTool('look', `${server.url}look`, { effect: 'none' }),
    { type: 'function', name: 'locate', strict: null, parameters: null },
  ] as unknown as OpenAI.Responses.Tool[];
  return {
    ...{ harness, server, tools },
    ...acting(harness, tools),
    /** Returns the idempotency keys of the requests to the tools. */
    called: () => server.caught.map(({ headers }) => String(headers['idempotency-key'])),
    async [Symbol.asyncDispose]() {
      await server[Symbol.asyncDispose]();
      await harness[Symbol.asyncDispose]();
    },
  };
}

function acting(harness: Harness, tools: OpenAI.Responses.Tool[]) {
  const client = openaiClient(harness);
  const start = (body: Body) => client.responses.create({ model: 'test', background: true, ...body });
  const run = async (body: Body) => {
    const { id } = await start(body);
    await harness.workUntilIdle();
    return client.responses.retrieve(id);
  };
  return {
    ...{ client, start, run },
    /** Creates a response that requests calls, and returns its approval requests. */
    ask: async (...calls: AskedCall[]) => {
      const asked = await run({ input: asking(...calls), tools });
      return { ...asked, requests: requestsOf(asked) };
    },
    refused: (body: Body) => raised(start(body)),
    /** Returns the results in the last request to the model, with the ids of their calls. */
    received: () => {
      const { messages } = harness.modelRequests.at(-1)!.body as { messages: Message[] };
      return messages.flatMap(({ role, tool_call_id: id, content }) => (role === 'tool' ? [`${id}: ${content}`] : []));
    },
  };
}

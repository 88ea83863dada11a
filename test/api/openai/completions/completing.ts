import type OpenAI from 'openai';
import type { TurnResource } from '#core/turn/resource/turn.ts';
import type { Harness } from '#test/harness/create-harness.ts';
import { scripted } from '#test/harness/scripted.ts';
import { waitUntil } from '#test/harness/wait-until.ts';
import { openaiClient, raised } from '../responses/openai-client.ts';

export type Message = OpenAI.Chat.ChatCompletionMessageParam;
export type Tool = OpenAI.Chat.ChatCompletionTool;
export type Completion = OpenAI.Chat.ChatCompletion;
/** The body of a create request. The SDK has no types for Pawl’s fields and invalid values. */
export type Body = { messages?: Message[] | unknown; model?: string } & Record<string, unknown>;

export const user = (content: string): Message => ({ role: 'user', content });
export const toolMessage = (id: string, content = 'Sunny'): Message => ({ role: 'tool', tool_call_id: id, content });
/** Returns a user message that scripts the model. */
export const scriptedUser = (script: Parameters<typeof scripted>[0]): Message => user(scripted(script));

export const city = { city: 'Rome' };
export const cityParameters = { type: 'object', properties: { city: { type: 'string' } } };
export const clientTool = (name: string): Tool => ({
  type: 'function',
  function: { name, parameters: cityParameters },
});

/** Returns a client of Chat Completions. Its model is `test` unless a body names another model. */
export function completing(harness: Harness, { base = '/v1' as '/v1' | '/openai/v1', key = 'none' } = {}) {
  const client = openaiClient(harness, base, key);
  const { completions } = client.chat;
  const complete = (body: Body, headers: Record<string, string> = {}): Promise<Completion> =>
    completions.create({ model: 'test', ...body } as OpenAI.Chat.ChatCompletionCreateParamsNonStreaming, { headers });
  return {
    ...{ client, completions, complete },
    refused: (body: Body, headers: Record<string, string> = {}) => raised(complete(body, headers)),
    lastSent: () => harness.modelRequests.at(-1)!.sent as { messages: SentMessage[] } & Record<string, unknown>,
    turnOf: async ({ id }: { id: string }) =>
      (
        await harness.call<TurnResource & { continues: string | null }>('GET', `/v1/turns/${turnIdOf(id)}`, {
          headers: { authorization: `Bearer ${key}` },
        })
      ).body,
  };
}

export type SentMessage = { role: string; content?: unknown; tool_call_id?: string; tool_calls?: unknown[] };

export const turnIdOf = (completionId: string): string => completionId.replace('chatcmpl-', 'turn_');

/** Returns the message of a completion, to send in the next request. */
export const answerOf = ({ choices }: Completion): Message => choices[0]!.message as Message;

/** Waits for the first turn, and returns its id. The answer to its create may still be open. */
export function startedTurn({ call }: Pick<Harness, 'call'>): Promise<string> {
  return waitUntil(async () => {
    const { body } = await call<{ data: { id: string }[] }>('GET', '/v1/turns');
    return body.data[0]?.id ?? false;
  }, 'a turn has started');
}

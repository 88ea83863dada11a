import type OpenAI from 'openai';
import type { Harness } from '#test/harness/create-harness.ts';
import { openaiClient } from '../openai-client.ts';

export type Compacted = OpenAI.Responses.CompactedResponse;
export type Input = OpenAI.Responses.ResponseInputItem[];
type Part = { text?: string };

/** Returns the API's client with typed requests for compactions. */
export function compacting(harness: Pick<Harness, 'url'>, base: '/v1' | '/openai/v1' = '/v1', apiKey = 'none') {
  const client = openaiClient(harness, base, apiKey);
  return {
    client,
    create: (body: Omit<OpenAI.Responses.ResponseCreateParamsNonStreaming, 'model'>) =>
      client.responses.create({ model: 'test', ...body }),
    compact: (body: object) => client.responses.compact({ model: 'test', ...body }),
  };
}

/** Returns the output of a compaction in short: the texts of messages and the types of other items. */
export function textsOf({ output }: Pick<Compacted, 'output'>): (string | undefined)[] {
  return output.map((item) =>
    item.type === 'message' ? (item.content as Part[]).map(({ text }) => text).join() : item.type,
  );
}

/** Returns the output of a compaction as the head of a later input. */
export function asInput({ output }: Pick<Compacted, 'output'>): Input {
  return output as unknown as Input;
}

export function lastMessages(harness: Pick<Harness, 'modelRequests'>) {
  return (harness.modelRequests.at(-1)!.body as { messages: { role: string; content: unknown }[] }).messages;
}

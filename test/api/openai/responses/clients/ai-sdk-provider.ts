import { createOpenAI } from '@ai-sdk/openai';
import type { Harness } from '#test/harness/create-harness.ts';

/** Returns the AI SDK's provider of OpenAI models, with only its base URL changed. */
export function aiSdkProvider({ url }: Pick<Harness, 'url'>) {
  return createOpenAI({ baseURL: `${url}/v1`, apiKey: 'none' });
}

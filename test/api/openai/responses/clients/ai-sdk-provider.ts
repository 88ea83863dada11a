import { createOpenAI } from '@ai-sdk/openai';
import type { Harness } from '#test/harness/create-harness.ts';

/** The AI SDK's provider of OpenAI's models as applications make it, with only its base URL changed. */
export function aiSdkProvider({ url }: Pick<Harness, 'url'>) {
  return createOpenAI({ baseURL: `${url}/v1`, apiKey: 'none' });
}

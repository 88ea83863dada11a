import OpenAI from 'openai';
import type { Harness } from '#test/harness/create-harness.ts';

/** Returns OpenAI's client for a test's API, under one of the bases. The client does not retry requests. */
export function openaiClient(
  { url }: Pick<Harness, 'url'>,
  base: '/v1' | '/openai/v1' = '/v1',
  apiKey = 'none',
): OpenAI {
  return new OpenAI({ baseURL: `${url}${base}`, apiKey, maxRetries: 0 });
}

/** Returns the error of the client. Fails if the request was accepted. */
export async function raised(answer: Promise<unknown>): Promise<InstanceType<typeof OpenAI.APIError>> {
  const error = await answer.then(
    () => new Error('The request was answered and not refused.'),
    (thrown: unknown) => thrown,
  );
  if (error instanceof OpenAI.APIError) return error;
  throw error;
}

import OpenAI from 'openai';
import type { Harness } from '#test/harness/create-harness.ts';

/** OpenAI's own client at a test's API, under one of the bases. It never repeats a request by itself. */
export function openaiClient(
  { url }: Pick<Harness, 'url'>,
  base: '/v1' | '/openai/v1' = '/v1',
  apiKey = 'none',
): OpenAI {
  return new OpenAI({ baseURL: `${url}${base}`, apiKey, maxRetries: 0 });
}

/** What the client raised; fails where it raised nothing. */
export async function raised(answer: Promise<unknown>): Promise<InstanceType<typeof OpenAI.APIError>> {
  const error = await answer.then(
    () => new Error('The request was answered and not refused.'),
    (thrown: unknown) => thrown,
  );
  if (error instanceof OpenAI.APIError) return error;
  throw error;
}

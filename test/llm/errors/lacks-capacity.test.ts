import { expect, test } from 'vitest';
import type { ProviderFailed } from '#core/failure.ts';
import { OWN_WIRES, prepareWires, refused } from './every-wire.ts';

const wires = prepareWires();

async function retriesAfter(status: number, error: object) {
  const retries = [];
  for (const wire of OWN_WIRES) {
    const failure = (await wires.ask(wire, refused(status, { error }))) as unknown as ProviderFailed;
    retries.push(failure.retry);
  }
  return retries;
}

test.each([
  { message: 'Resource unavailable, try again later.', type: 'resource_unavailable', code: 'resource_unavailable' },
  { message: '429 Resource Unavailable', type: 'rate_limit_error', code: null },
  { message: 'Resources are currently unavailable for flex processing.', code: '429' },
  { message: 'There are not enough resources to process your request on flex.', code: 'flex_unavailable' },
  { message: 'No.', type: 'resource_unavailable' },
  { message: 'No.', code: 'resource_unavailable' },
])('the 429 %j means a lack of capacity on each wire', async (error) => {
  for (const retry of await retriesAfter(429, error))
    expect(retry).toMatchObject({ kind: 'rate-limited', lacksCapacity: true });
});

test.each([
  [
    'OpenAI',
    {
      message: 'Rate limit reached for gpt-5.6 in organization org-1 on tokens per min (TPM): Limit 30000.',
      code: 'rate_limit_exceeded',
    },
  ],
  [
    'Azure',
    { message: 'Requests have exceeded token rate limit of your current AIServices S0 pricing tier.', code: '429' },
  ],
  ['Gemini', { message: 'Resource has been exhausted (e.g. check quota).', status: 'RESOURCE_EXHAUSTED', code: 429 }],
  ['Vertex', { message: 'Resource exhausted. Please try again later.', status: 'RESOURCE_EXHAUSTED', code: 429 }],
  [
    'Anthropic',
    { message: 'This request would exceed the rate limit for your organization.', type: 'rate_limit_error' },
  ],
  ['a gateway', { message: 'Too Many Requests' }],
])('an ordinary rate limit of %s does not mean a lack of capacity', async (_, error) => {
  for (const retry of await retriesAfter(429, error)) {
    expect(retry.kind).toBe('rate-limited');
    expect(retry).not.toHaveProperty('lacksCapacity');
  }
});

test.each([503, 400, 404])('status %i with the words of a lack of capacity is not a rate limit', async (status) => {
  const error = { message: 'Resource unavailable.', type: 'resource_unavailable', code: 'resource_unavailable' };

  for (const retry of await retriesAfter(status, error)) expect(retry.kind).not.toBe('rate-limited');
});

test('a lack of capacity keeps the pause that the provider requests', async () => {
  const answer = refused(429, { error: { message: 'Resource unavailable.', code: 'resource_unavailable' } });
  const headers = { ...answer.headers, 'retry-after': '7' };

  const failure = (await wires.ask('openai', { ...answer, headers })) as unknown as ProviderFailed;

  expect(failure.retry).toEqual({ kind: 'rate-limited', afterMs: 7_000, lacksCapacity: true });
});

test('a lack of capacity inside a 200 is recognized', async () => {
  const error = { message: 'No.', type: 'resource_unavailable', code: 'resource_unavailable' };
  const retries = await retriesAfter(200, error);

  expect(retries).toEqual(OWN_WIRES.map(() => ({ kind: 'rate-limited', lacksCapacity: true })));
});

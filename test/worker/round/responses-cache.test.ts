import { expect, test } from 'vitest';
import { inputOf } from '#test/llm/prompt-cache/token-count.ts';
import { callUntil, longPrefix, olderResponses, openCached, responses } from './open-cached.ts';

const optionsOf = ({ answered }: { answered: Record<string, unknown>[] }) =>
  answered.map((body) => body.prompt_cache_options);

test('prompt_cache "1h" keeps prefixes for 12 hours at OpenAI and costs their price', async () => {
  await using cached = await openCached(responses, { reply: callUntil(4) });

  const turn = await cached.run({ ...longPrefix, prompt_cache: '1h' });

  const { bill, counts, refusals } = cached.server;
  expect(refusals).toEqual([]);
  expect(optionsOf(cached.server)).toEqual([1, 2, 3, 4].map(() => ({ ttl: '12h' })));
  expect(counts.map(({ written }) => written)).toEqual([0, 0, 0, 0]);
  expect(turn.usage.cache_write_tokens).toBe(counts.reduce((sum, count) => sum + count.writtenForHour, 0));
  expect(turn.usage.cost_usd).toBeCloseTo(bill(), 8);
});

test('prompt_cache "5m" keeps prefixes for 30 min at OpenAI at the usual write price', async () => {
  await using cached = await openCached(responses, { reply: callUntil(4) });

  const turn = await cached.run({ ...longPrefix, prompt_cache: '5m' });

  expect(optionsOf(cached.server)).toEqual([1, 2, 3, 4].map(() => ({ ttl: '30m' })));
  expect(cached.server.counts.map(({ writtenForHour }) => writtenForHour)).toEqual([0, 0, 0, 0]);
  expect(turn.usage.cost_usd).toBeCloseTo(cached.server.bill(), 8);
});

test('a model without a cache time is asked without it, with a warning in each turn', async () => {
  await using cached = await openCached(olderResponses);

  const turns = [
    await cached.run({ ...longPrefix, prompt_cache: '1h' }),
    await cached.run({ ...longPrefix, prompt_cache: '1h' }),
  ];

  const warning = 'prompt_cache "1h" was refused by openai and left out';
  expect(turns).toMatchObject([1, 2].map(() => ({ status: 'completed', warnings: [warning] })));
  expect(cached.server.refusals).toHaveLength(2);
  expect(optionsOf(cached.server)).toEqual([undefined, undefined]);
});

test('a repair round over Responses reads the prompt cache, and is charged for that', async () => {
  const schema = { type: 'object', properties: { pages: { type: 'integer' } }, required: ['pages'] };
  const output_schema = { name: 'report', schema: { ...schema, additionalProperties: false } };
  const answers = ['{"pages":"three"}', '{"pages":3}'];
  const reply = (request: number) => (request < 9 ? callUntil(9)(request) : { text: answers[request - 9]! });
  await using cached = await openCached(responses, { reply });

  const turn = await cached.run({ ...longPrefix, output_schema });

  const { answered, bill, counts, refusals } = cached.server;
  const [repair, later] = [counts.at(-1)!, counts.slice(1)];
  expect(refusals).toEqual([]);
  expect(turn).toMatchObject({ status: 'completed', output_parsed: { pages: 3 } });
  expect(answered).toHaveLength(10);
  expect(repair.read / inputOf(repair)).toBeGreaterThanOrEqual(0.85);
  const read = later.reduce((sum, count) => sum + count.read, 0);
  expect(read / later.reduce((sum, count) => sum + inputOf(count), 0)).toBeGreaterThanOrEqual(0.85);
  expect(turn.usage.cost_usd).toBeCloseTo(bill(), 8);
});

test('prompt_cache "off" sends no key and no time to OpenAI', async () => {
  await using cached = await openCached(responses, { reply: callUntil(3) });

  await cached.run({ ...longPrefix, prompt_cache: 'off' });

  const sent = cached.server.answered.map((body) => JSON.stringify(body));
  expect(sent).toHaveLength(3);
  for (const body of sent) expect(body).not.toContain('prompt_cache');
});

const fields = ['prompt_cache_key', 'prompt_cache_options', 'include', 'stream_options'];

test.for(fields)('a server of Responses that refuses %s is asked again at once without the field', async (field) => {
  await using cached = await openCached(responses, { reply: callUntil(3), unknownFields: [field] });

  const first = await cached.run({ ...longPrefix, prompt_cache: '1h' });
  const second = await cached.run({ ...longPrefix, prompt_cache: '1h' });

  expect([first.status, second.status]).toEqual(['completed', 'completed']);
  expect(cached.server.refusals).toEqual([`Unknown parameter: '${field}'.`]);
  expect(cached.server.answered.filter((body) => field in body)).toEqual([]);
});

test('a server that refuses all added fields is asked without them, and no turn fails', async () => {
  await using cached = await openCached(responses, { reply: callUntil(3), unknownFields: fields });

  const turn = await cached.run({ ...longPrefix, prompt_cache: '1h' });

  expect(turn).toMatchObject({ status: 'completed', output: 'The report is fine.' });
  expect(cached.server.refusals).toHaveLength(fields.length);
  expect(cached.server.answered).toHaveLength(3);
});

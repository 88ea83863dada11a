import { expect, test } from 'vitest';
import { configureProviders } from '#core/llm/providers.ts';
import { someRequest } from '#test/llm/provider-exam.ts';
import { responsesWire } from '#test/llm/responses-wire.ts';
import { startWireServer } from '#test/llm/wire-server.ts';

const sim = { baseUrl: async () => 'http://127.0.0.1:1/v1' };

test('a server of the Responses kind is used with its path, key and settings', async () => {
  await using server = await startWireServer({ body: responsesWire.finished('Sensitive', 'Hi.') });
  const gateway = { kind: 'openai-responses', base_url: `${server.origin}/v1`, api_key: 'other', prompt_cache: true };
  const own = { gateway: { ...gateway, finish_reasons: { Sensitive: 'content_filter' } }, plain: gateway };
  const providers = configureProviders(
    { PAWL_PROVIDERS: JSON.stringify({ ...own, bare: { ...gateway, tools: false } }) },
    sim,
  );
  const request = { ...someRequest, promptCache: { ttl: '5m' as const, key: 'k' } };

  const reply = await providers.find('gateway').ask(request, new AbortController().signal, () => undefined);
  const { capabilities } = providers.find('bare');
  await providers.close();

  expect(reply).toMatchObject({ text: 'Hi.', finishReason: 'content_filter' });
  expect(server.asked[0]).toMatchObject({
    path: '/v1/responses',
    headers: { authorization: 'Bearer other' },
    body: { prompt_cache_key: 'k', prompt_cache_options: { ttl: '30m' } },
  });
  expect(capabilities).toMatchObject({ wire: 'openai-responses', tools: false });
});

test.each([{ roles: 'alternate' }, { max_tokens_field: 'max_tokens' }, { stream_options: false }])(
  'a server of the Responses kind has no setting %j',
  (setting) => {
    const a = { kind: 'openai-responses', base_url: 'http://x/v1', ...setting };

    expect(() => configureProviders({ PAWL_PROVIDERS: JSON.stringify({ a }) }, sim)).toThrow('PAWL_PROVIDERS.a');
  },
);

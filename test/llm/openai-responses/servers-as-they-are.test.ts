import { makeHttpClient } from '#core/llm/http/http-client.ts';
import { openaiResponsesProvider } from '#core/llm/openai-responses/openai-responses-provider.ts';
import { serversAsTheyAre } from '#test/llm/check-wire/servers-as-they-are.ts';
import { looseResponses } from '#test/llm/responses-wire.ts';

const { post } = makeHttpClient();

serversAsTheyAre(
  'openai-responses',
  (baseUrl) => openaiResponsesProvider({ name: 'gateway', apiKey: null, baseUrl, post }),
  looseResponses,
);

import { makeHttpClient } from '#core/llm/http/http-client.ts';
import { openaiProvider } from '#core/llm/openai/openai-provider.ts';
import { serversAsTheyAre } from '#test/llm/check-wire/servers-as-they-are.ts';
import { looseOpenai } from '#test/llm/openai-wire.ts';

const { post } = makeHttpClient();

serversAsTheyAre('openai', (baseUrl) => openaiProvider({ name: 'gateway', apiKey: null, baseUrl, post }), looseOpenai);

import { geminiProvider } from '#core/llm/gemini/gemini-provider.ts';
import { makeHttpClient } from '#core/llm/http/http-client.ts';
import { serversAsTheyAre } from '#test/llm/check-wire/servers-as-they-are.ts';
import { looseGemini } from '#test/llm/gemini-wire.ts';

const { post } = makeHttpClient();

serversAsTheyAre('gemini', (baseUrl) => geminiProvider({ name: 'gateway', apiKey: null, baseUrl, post }), looseGemini);

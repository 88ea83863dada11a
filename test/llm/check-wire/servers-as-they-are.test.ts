import { anthropicProvider } from '#core/llm/anthropic/anthropic-provider.ts';
import { geminiProvider } from '#core/llm/gemini/gemini-provider.ts';
import { makeHttpClient } from '#core/llm/http/http-client.ts';
import { openaiProvider } from '#core/llm/openai/openai-provider.ts';
import { openaiResponsesProvider } from '#core/llm/openai-responses/openai-responses-provider.ts';
import { looseAnthropic } from '#test/llm/anthropic-wire.ts';
import { serversAsTheyAre } from '#test/llm/check-wire/servers-as-they-are.ts';
import { looseGemini } from '#test/llm/gemini-wire.ts';
import { looseOpenai } from '#test/llm/openai-wire.ts';
import { looseResponses } from '#test/llm/responses-wire.ts';

const gateway = { name: 'gateway', apiKey: null, post: makeHttpClient().post };

serversAsTheyAre('openai', (baseUrl) => openaiProvider({ ...gateway, baseUrl }), looseOpenai);
serversAsTheyAre('openai-responses', (baseUrl) => openaiResponsesProvider({ ...gateway, baseUrl }), looseResponses);
serversAsTheyAre('anthropic', (baseUrl) => anthropicProvider({ ...gateway, baseUrl }), looseAnthropic);
serversAsTheyAre('gemini', (baseUrl) => geminiProvider({ ...gateway, baseUrl }), looseGemini);

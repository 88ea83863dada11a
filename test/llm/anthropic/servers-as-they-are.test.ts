import { anthropicProvider } from '#core/llm/anthropic/anthropic-provider.ts';
import { makeHttpClient } from '#core/llm/http/http-client.ts';
import { looseAnthropic } from '#test/llm/anthropic-wire.ts';
import { serversAsTheyAre } from '#test/llm/check-wire/servers-as-they-are.ts';

const { post } = makeHttpClient();
const make = (baseUrl: string) => anthropicProvider({ name: 'gateway', apiKey: null, baseUrl, post });

serversAsTheyAre('anthropic', make, looseAnthropic);

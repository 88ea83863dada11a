import { expect, test } from 'vitest';
import { inWords } from '#test/llm/gemini/heard.ts';
import { answerOf, areRecordingsHere, type Exchange, entries, readRecording } from '#test/llm/recordings.ts';
import { askOn, type TierWireName } from './tier-wires.ts';

const WIRES: Record<string, TierWireName> = {
  ...{ 'chat.completions': 'openai', responses: 'openai-responses', messages: 'anthropic' },
  ...{ generateContent: 'gemini', streamGenerateContent: 'gemini' },
};

type Tier = string | null | undefined;
type Usage = { service_tier?: Tier };
type Event = {
  service_tier?: Tier;
  response?: { service_tier?: Tier };
  usage?: Usage | null;
  message?: { usage?: Usage };
  usageMetadata?: { serviceTier?: Tier };
};

/** The field of the tier on each wire. Gateways repeat it in other fields. */
const AT: Record<TierWireName, (event: Event) => Tier> = {
  openai: ({ service_tier }) => service_tier,
  'openai-responses': ({ response, service_tier }) => response?.service_tier ?? service_tier,
  anthropic: ({ message, usage }) => message?.usage?.service_tier ?? usage?.service_tier,
  gemini: ({ usageMetadata }) => usageMetadata?.serviceTier,
};

function eventsOf({ response: { body } }: Exchange<unknown>): Event[] {
  if (typeof body !== 'string') return [body as Event];
  if (body.trimStart().startsWith('[')) return JSON.parse(body);
  const data = body.split(/\r?\n/).filter((line) => line.startsWith('data:') && !line.includes('[DONE]'));
  return data.map((line) => JSON.parse(line.slice(5)));
}

const isReply = ({ response }: Exchange<unknown>) => response.status === 200 && response.body !== null;
const recorded = entries.flatMap(({ file, api }) => {
  const wire = WIRES[api];
  if (!wire) return [];
  return readRecording<unknown>(file)
    .exchanges.filter(isReply)
    .map((exchange, index) => ({ wire, name: `${file} ${index + 1}`, exchange }));
});

test.skipIf(!areRecordingsHere)('every recorded reply reports the service tier that its provider sent', async () => {
  const wrong: unknown[] = [];
  const tiers: string[] = [];
  for (const { wire, name, exchange } of recorded) {
    const written = eventsOf(exchange).map(AT[wire]).findLast(Boolean) ?? null;
    const heard = wire === 'gemini' ? inWords(exchange) : exchange;
    const reply = await askOn(wire, answerOf(heard)).then(
      (asked) => asked.reply,
      () => null,
    );
    if (reply && (reply.serviceTier ?? null) !== written) wrong.push([name, reply.serviceTier, written]);
    if (reply && written) tiers.push(written);
  }

  expect(wrong).toEqual([]);
  expect(tiers.length).toBeGreaterThan(150);
  expect(new Set(tiers)).toEqual(new Set(['auto', 'default', 'flex', 'on_demand', 'standard']));
});

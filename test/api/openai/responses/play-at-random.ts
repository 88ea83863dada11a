import type { HostedCall } from '#core/turn/hosted/hosted.ts';
import { citation, makeCode, makeSearch, started } from '../../../turn/hosted/make-hosted.ts';
import type { playResponse, Said } from './play-response.ts';
import { inChunks, mixed, type Random, randomText, shuffled } from './random-script.ts';

type Playing = Awaited<ReturnType<typeof playResponse>>;

/**
 * Plays a response of some rounds to its end: in any chunks, with results in any order, and with calls of hosted tools.
 * Runs break off, and begin again with the same words or with others.
 */
export async function playAtRandom(response: Playing, random: Random): Promise<void> {
  await response.start();
  const rounds = 1 + random.upTo(2);
  for (let round = 1; round <= rounds; round += 1) {
    const calls = round < rounds ? Array.from({ length: 1 + random.upTo(2) }, (_, index) => `tool_${index}`) : [];
    const { said, draft } = await tryRound(response, random, calls);
    if (round === rounds) return response.complete(said, draft);
    await response.commit(said, { draft });
    for (const index of shuffled(calls.keys().toArray(), random)) await response.answer(round, index);
  }
}

/** Plays a round. Its runs may break off, and the next run repeats the words or writes other words. */
async function tryRound(response: Playing, random: Random, calls: string[]) {
  let said = newWords(random, calls);
  for (let draft = 0; ; draft += 1) {
    const publishing = await response.publishRound();
    const breaksOff = draft < 3 && random.chance(0.4);
    const words = breaksOff ? random.upTo(6) : Number.POSITIVE_INFINITY;
    await publishWords(publishing, { response, said, random, words });
    publishing.end();
    if (!breaksOff) return { said, draft };
    await response.beginAgain();
    if (random.chance(0.4)) said = newWords(random, calls);
  }
}

function newWords(random: Random, calls: string[]): Said {
  const answer = randomText(random, calls.length > 0 ? random.upTo(4) : 1 + random.upTo(10));
  const cited = answer && random.chance(0.4) ? [citation(0, 1 + random.upTo(answer.length - 1))] : [];
  const refusal = calls.length === 0 && random.chance(0.2) ? randomText(random, 1 + random.upTo(3)) : '';
  return {
    ...(random.chance(0.5) && { reasoning: randomText(random, 1 + random.upTo(5)) }),
    ...(random.chance(0.7) && { state: { signature: randomText(random, 1 + random.upTo(5)) } }),
    ...{ text: answer + refusal, calls, citations: cited, hosted: randomCalls(random) },
    ...(refusal && { refusalFrom: answer.length }),
  };
}

/** Returns calls of hosted tools. They have the same ids in each run. */
function randomCalls(random: Random): HostedCall[] {
  return Array.from({ length: random.chance(0.5) ? random.upTo(3) : 0 }, (_, index) => {
    const own = { id: `call_${index}`, output: randomText(random, 2) };
    const failed = { status: 'failed' as const, output: null, error: 'The page is gone.' };
    return (random.chance(0.5) ? makeSearch : makeCode)(random.chance(0.2) ? { ...own, ...failed } : own);
  });
}

/** Returns the starts and ends of calls. Calls start in their order, and end in any order. */
function hostedEvents(calls: readonly HostedCall[], random: Random): HostedCall[] {
  const [rest, open, events] = [[...calls], [] as HostedCall[], [] as HostedCall[]];
  while (rest.length + open.length > 0) {
    const isStart = open.length === 0 || (rest.length > 0 && random.chance(0.5));
    const call = isStart ? rest.shift()! : open.splice(random.upTo(open.length - 1), 1)[0]!;
    events.push(isStart ? started(call) : call);
    if (isStart) open.push(call);
  }
  return events;
}

type Publishing = Awaited<ReturnType<Playing['publishRound']>>;
type Words = { response: Playing; said: Said; random: Random; words: number };

async function publishWords(publishing: Publishing, { response, said, random, words }: Words): Promise<void> {
  const { reasoning = '', text = '', refusalFrom = text.length, hosted = [] } = said;
  const spoken = [
    ...inChunks(text.slice(0, refusalFrom), random).map((chunk) => () => publishing.say(chunk)),
    ...inChunks(text.slice(refusalFrom), random).map((chunk) => () => publishing.refuse(chunk)),
  ];
  const called = hostedEvents(hosted, random).map((call) => () => publishing.host(call));
  const pieces = [
    ...inChunks(reasoning, random).map((chunk) => () => publishing.think(chunk)),
    ...mixed(spoken, called, random),
  ];
  for (const chunk of pieces.slice(0, words)) {
    chunk();
    for (let pause = random.upTo(3); pause > 0; pause -= 1) await response.load();
  }
}

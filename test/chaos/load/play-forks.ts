import { setTimeout as sleep } from 'node:timers/promises';
import type { Family, MadeTurn } from '../history.ts';
import { FORKS } from '../projects.ts';
import { makeRandom, type Random } from '../random.ts';
import type { Options } from '../read-options.ts';
import type { ApiAnswer, ApiClient } from './api-client.ts';
import { familyScript, familyTools } from './family-script.ts';

type ForkOptions = Pick<Options, 'origins' | 'seconds' | 'seed'>;
type Play = { number: number; random: Random; client: ApiClient; toolUrl: string };

/** The number of families that are played at the same time. */
const FORKERS = 3;

/** Plays several clients that start turns, fork, rerun and delete them concurrently, each with one family at a time. */
export async function playForks(options: ForkOptions, client: ApiClient, toolUrl: string): Promise<Family[]> {
  const { origins, seconds, seed } = options;
  const pauseMs = (seconds * 1_000 * FORKERS) / Math.max(origins, 1);
  const play = async (forker: number) => {
    const families: Family[] = [];
    for (let number = forker; number < origins && !client.isOver(); number += FORKERS) {
      const random = makeRandom(seed + number);
      const [family] = await Promise.all([
        playFamily({ number, random, client, toolUrl }),
        sleep(random.integer(0, Math.round(pauseMs))),
      ]);
      families.push(family);
    }
    return families;
  };
  return (await Promise.all(Array.from({ length: FORKERS }, (_, forker) => play(forker)))).flat();
}

/** Plays a turn that is forked while it runs and after its end, rerun, and deleted in between. */
async function playFamily(play: Play): Promise<Family> {
  const { number, random, client } = play;
  const origin = await startOrigin(play);
  const early = forkTurn(play, origin, { name: 'early', delayMs: random.integer(0, 1_500) });
  await awaitEnd(client, origin);
  const delays = () => random.integer(0, 300);
  const [answer, made] = await Promise.all([
    sleep(delays()).then(async () => {
      await early;
      return client.send({ method: 'DELETE', path: `/v1/turns/${origin}` });
    }),
    Promise.all([
      early,
      forkTurn(play, origin, { name: 'late', delayMs: delays() }),
      sleep(delays()).then(() => rerunTurn(play, origin)),
    ]),
  ]);
  const forks = made.filter((turn) => turn !== null);
  const reads = answer ? await readDeleted(client, origin, forks) : [];
  await Promise.all(forks.map((fork) => endFork(play, fork)));
  // Every second family is deleted completely: the turns that its forks kept are deleted with the last fork.
  const isRemoved = number % 2 === 1 && !client.isOver();
  if (isRemoved) for (const { conversationId } of forks) await deleteConversation(client, conversationId);
  return { number, origin, forks, reads, isRemoved: isRemoved && !client.isOver() };
}

async function startOrigin({ number, random, client, toolUrl }: Play): Promise<string> {
  const input = familyScript({ mark: `fork-${number}.origin`, rounds: random.integer(1, 3) }, random);
  const body = { model: `responses/${FORKS.model}`, input, tools: familyTools(toolUrl) };
  const answer = await client.send({ method: 'POST', path: '/v1/turns', body, key: `origin-${number}` });
  return String(answer?.body.id);
}

/** Forks a turn after its last answered round, as soon as it has begun. Returns null if it was deleted before. */
async function forkTurn(
  { number, random, client }: Play,
  origin: string,
  { name, delayMs }: { name: string; delayMs: number },
): Promise<MadeTurn | null> {
  const input = familyScript({ mark: `fork-${number}.${name}`, rounds: random.integer(0, 2) }, random);
  await sleep(delayMs);
  const request = {
    method: 'POST',
    path: `/v1/turns/${origin}/fork`,
    body: { input },
    key: `${name}-${number}`,
  } as const;
  let answer = await client.send(request);
  while (answer?.status === 409) {
    await sleep(PAUSE_MS);
    answer = await client.send(request);
  }
  return madeOf('fork', answer);
}

async function rerunTurn({ number, client }: Play, origin: string): Promise<MadeTurn | null> {
  const path = `/v1/turns/${origin}/rerun`;
  return madeOf('rerun', await client.send({ method: 'POST', path, body: {}, key: `rerun-${number}` }));
}

function madeOf(kind: MadeTurn['kind'], answer: ApiAnswer | undefined): MadeTurn | null {
  if (answer?.status !== 202) return null;
  const { id, conversation_id, after_round } = answer.body;
  const afterRound = after_round === null ? null : Number(after_round);
  return { kind, id: String(id), conversationId: String(conversation_id), afterRound, status: null, next: null };
}

/** Reads the answers of a deleted turn, and the traces of the turn in its forks. */
async function readDeleted(client: ApiClient, origin: string, forks: MadeTurn[]): Promise<Family['reads']> {
  // A rerun has the input of its turn as its own input.
  const forked = forks.filter(({ kind }) => kind === 'fork');
  const conversations = forked.map(({ conversationId }) => `/v1/conversations/${conversationId}/messages`);
  const paths = [`/v1/turns/${origin}`, `/v1/turns/${origin}/chain`, ...conversations];
  const answers = await Promise.all(paths.map((path) => client.send({ method: 'GET', path })));
  return answers.flatMap((answer, index) =>
    answer ? [{ path: paths[index] ?? '', status: answer.status, text: JSON.stringify(answer.body) }] : [],
  );
}

/** Waits for the end of a fork and of a next turn, which sends the history of the fork. */
async function endFork({ client, random }: Play, fork: MadeTurn): Promise<void> {
  fork.status = await awaitEnd(client, fork.id);
  const path = `/v1/conversations/${fork.conversationId}/turns`;
  const body = { input: familyScript({ mark: `next-${fork.id}`, rounds: 0 }, random) };
  const answer = await client.send({ method: 'POST', path, body, key: `next-${fork.id}` });
  const id = String(answer?.body.id);
  fork.next = { id, status: await awaitEnd(client, id) };
}

async function deleteConversation(client: ApiClient, id: string): Promise<void> {
  await client.send({ method: 'DELETE', path: `/v1/conversations/${id}` });
}

const PAUSE_MS = 100;
const ACTIVE = new Set<unknown>(['queued', 'in_progress', 'requires_action']);

/** Returns the status of an ended turn, or null if it has not ended. */
async function awaitEnd(client: ApiClient, id: string): Promise<string | null> {
  while (!client.isOver()) {
    const answer = await client.send({ method: 'GET', path: `/v1/turns/${id}` });
    if (answer && !ACTIVE.has(answer.body.status)) return String(answer.body.status ?? answer.status);
    await sleep(PAUSE_MS);
  }
  return null;
}

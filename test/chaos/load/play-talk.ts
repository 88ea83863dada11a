import { setTimeout as sleep } from 'node:timers/promises';
import type { SaidMessage } from '../history.ts';
import { TALK } from '../projects.ts';
import type { Options } from '../read-options.ts';
import type { ApiClient } from './api-client.ts';

type TalkOptions = Pick<Options, 'messages' | 'talkers' | 'conversations' | 'seconds'>;

const WAYS = [
  { on_active_turn: 'steer' },
  { on_active_turn: 'merge' },
  { on_active_turn: 'enqueue' },
  { on_active_turn: 'merge', debounce_ms: 200 },
];

/** Plays several clients that speak into the same conversations in every way, each with one message at a time. */
export async function playTalk(options: TalkOptions, client: ApiClient): Promise<SaidMessage[]> {
  const { messages, talkers, conversations } = options;
  const ids = await Promise.all(Array.from({ length: conversations }, (_, index) => createConversation(client, index)));
  const shares = Array.from({ length: messages === 0 ? 0 : talkers }, (_, index) => index);
  const said = await Promise.all(shares.map((talker) => talk(talker, { ids, options, client })));
  return said.flat();
}

async function createConversation(client: ApiClient, index: number): Promise<string> {
  const body = { model: `openai/${TALK.model}` };
  const answer = await client.send({ method: 'POST', path: '/v1/conversations', body, key: `talk-${index}` });
  return String(answer?.body.id);
}

type Talking = { ids: string[]; options: TalkOptions; client: ApiClient };

async function talk(talker: number, { ids, options, client }: Talking): Promise<SaidMessage[]> {
  const { messages, talkers, seconds } = options;
  const own = Math.ceil(messages / talkers);
  const said: SaidMessage[] = [];
  for (let number = 0; number < own && !client.isOver(); number += 1) {
    const text = `talker ${talker} says ${number}.`;
    const input = JSON.stringify({ sim: { answer: `Heard: ${text}`, final: { think_ms: 50 } } });
    const path = `/v1/conversations/${ids[(talker + number) % ids.length]}/turns`;
    const body = { input, ...WAYS[(talker + number) % WAYS.length] };
    const answer = await client.send({ method: 'POST', path, body, key: `talk-${talker}-${number}` });
    if (answer?.status === 200 || answer?.status === 202)
      said.push({ client: talker, number, text, turnId: String(answer.body.id) });
    await sleep((seconds * 1_000 * (0.5 + Math.random())) / own);
  }
  return said;
}

import { styleText } from 'node:util';
import type OpenAI from 'openai';
import type { Screen } from '#cli/screen.ts';
import { timing } from '#core/turn/timing.ts';
import { type Followed, followResponse } from '../../examples/follow-response.ts';
import type { DemoRun } from '../run-to-end.ts';
import type { Part } from '../start-part.ts';
import type { Pawl } from '../start-pawl.ts';
import { ANSWER } from './story.ts';

/** The parts of a response that a client has read. */
export type Read = {
  /** The joined deltas, without deltas of an abandoned reply. */
  text: string;
  connections: number;
  /** Whether each number of the current reply was higher than the number before. */
  isOrdered: boolean;
  /** The losses in order: all processes are killed first, then only the API. */
  losses: string[];
};

type Reading = Read & { last: number; parts: Part[] };
type Source = { client: OpenAI; id: string; pawl: Pawl };

const KILL_ALL_AT = Math.floor(ANSWER.length / 3);
const KILL_API_AT = Math.floor((ANSWER.length * 2) / 3);

/** Shows a response while it streams. Kills all of Pawl after a third of the text, and the API after two thirds. */
export async function readResponse({ client, id, pawl }: Source, screen: Screen, run: DemoRun): Promise<Read> {
  const parts = [pawl.api, ...pawl.workers];
  const reading: Reading = { text: '', connections: 1, isOrdered: true, losses: [], last: -1, parts };
  for await (const followed of followResponse(client, id)) {
    run.signal.throwIfAborted();
    if (followed.kind === 'lost') await startAgain(reading, pawl, screen);
    note(followed, reading, screen);
    const victims = victimsOf(reading);
    if (victims.length > 0) await killParts(victims, reading, screen);
  }
  return reading;
}

function note(followed: Followed, reading: Reading, screen: Screen): void {
  if (followed.kind === 'lost') {
    reading.connections += 1;
    screen.say(`the client asks again: ?stream=true&starting_after=${followed.behind}`);
  }
  if (followed.kind === 'anew') {
    Object.assign(reading, { text: '', last: -1 });
    reading.losses.push('anew');
    screen.say('stream_superseded: the model replies again, the client drops the old text');
  }
  if (followed.kind !== 'event') return;
  reading.isOrdered &&= followed.event.sequence_number > reading.last;
  reading.last = followed.event.sequence_number;
  if (followed.event.type !== 'response.output_text.delta') return;
  reading.text += followed.event.delta;
  screen.stream(followed.event.delta);
}

/** Returns the parts to kill now. Each point kills them once. */
function victimsOf({ text, losses, parts }: Reading): Part[] {
  if (losses.length === 0 && text.length >= KILL_ALL_AT) return parts;
  return losses.at(-1) === 'anew' && text.length >= KILL_API_AT ? parts.slice(0, 1) : [];
}

async function killParts(victims: Part[], reading: Reading, screen: Screen): Promise<void> {
  await Promise.all(victims.map(({ kill }) => kill()));
  const isAll = victims.length > 1;
  reading.losses.push(isAll ? 'all' : 'api');
  screen.gap();
  const names = victims.map(({ name, pid }) => `${name} (pid ${pid})`).join(', ');
  screen.say(styleText('red', `✗ SIGKILL: ${names}`));
  if (isAll) {
    screen.add('The rest of the sentence is lost. PostgreSQL has the response. The lease of');
    screen.add(`its worker ends ${timing.leaseMs / 1000} s after the last heartbeat.`);
  } else screen.add('The worker continues while no client is connected.');
}

async function startAgain(reading: Reading, pawl: Pawl, screen: Screen): Promise<void> {
  const isAll = reading.losses.at(-1) === 'all';
  const starting = [pawl.startApi(), ...(isAll ? pawl.workers.map(({ name }) => pawl.startWorker(name)) : [])];
  reading.parts = [...(await Promise.all(starting)), ...(isAll ? [] : reading.parts.slice(1))];
  screen.say(`${isAll ? 'API and workers are' : 'The API is'} started again`);
}

/** Returns a sentence for each promise that Pawl broke. */
export function brokenPromises(
  { text, isOrdered, losses }: Read,
  { response, modelCalls }: { response: OpenAI.Responses.Response; modelCalls: number },
): string[] {
  return [
    response.status !== 'completed' && `The response is ${response.status}.`,
    text !== response.output_text && 'The joined deltas differ from the stored text.',
    response.output_text !== ANSWER && 'The stored text differs from the reply of the model.',
    !isOrdered && 'An event was repeated, or out of order.',
    losses.join() !== 'all,anew,api' && `The demo did not kill Pawl as planned: ${losses.join(', ')}.`,
    modelCalls !== 2 && `The model was asked ${modelCalls} times instead of twice.`,
  ].filter((sentence) => sentence !== false);
}

import { Pool } from 'undici';
import { MODEL, WIRE_TOOLS } from '../work.ts';
import type { NaiveMessage } from './naive-turn.ts';

/** Asks the model for the message that comes next. */
export type AskModel = (messages: NaiveMessage[]) => Promise<NaiveMessage>;

type Completion = { choices: { message: NaiveMessage }[] };

const CONNECTIONS = 64;

/** Asks by undici on connections that are kept, and without a stream: no client watches. */
export function openModel(modelUrl: string): AskModel {
  const { origin, pathname } = new URL(modelUrl);
  const pool = new Pool(origin, { connections: CONNECTIONS });
  const path = `${pathname}/chat/completions`;
  const headers = { 'content-type': 'application/json', authorization: 'Bearer sk-bench' };
  return async (messages) => {
    const request = JSON.stringify({ model: MODEL, messages, tools: WIRE_TOOLS });
    const { statusCode, body } = await pool.request({ method: 'POST', path, headers, body: request });
    if (statusCode !== 200) throw new Error(`The model answered ${statusCode}: ${await body.text()}`);
    const { choices } = (await body.json()) as Completion;
    const message = choices[0]?.message;
    if (!message) throw new Error('The model answered without a message.');
    return message;
  };
}

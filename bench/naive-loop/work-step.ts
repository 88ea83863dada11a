import { Pool } from 'undici';
import { readPrice, readStock } from '../tools.ts';
import { MODEL, WIRE_TOOLS } from '../work.ts';
import { loadMessages, type NaiveMessage, saveStep } from './naive-turn.ts';
import type { StepData } from './open-bullmq.ts';
import type { Naive } from './open-naive.ts';

/** The database, the queue and the model of a worker of the loop. */
type NaiveContext = Pick<Naive, 'sql' | 'add' | 'ends'> & { askModel(messages: NaiveMessage[]): Promise<NaiveMessage> };

/** Runs one step of a turn, commits it, and adds the job of the next step. A repeated job changes no row. */
export async function workStep(job: StepData, { sql, askModel, add, ends }: NaiveContext): Promise<void> {
  const history = await loadMessages(sql, job.turnId);
  const [kind, number] = job.step.split('-');
  const messages = kind === 'round' ? [await askModel(history)] : await runCalls(history.at(-1));
  const next =
    kind === 'batch' ? `round-${Number(number) + 1}` : messages[0]?.tool_calls?.length ? `batch-${number}` : 'done';
  if (!(await saveStep(sql, job, { messages, position: history.length, next }))) return;

  if (next === 'done') await ends.publish(job.turnId);
  else await add(job.turnId, next);
}

/** Runs the calls of a message concurrently. Their results are saved together. */
async function runCalls(message: NaiveMessage | undefined): Promise<NaiveMessage[]> {
  return Promise.all(
    (message?.tool_calls ?? []).map(async ({ id, function: { name, arguments: args } }) => {
      const output = await callTool(name, JSON.parse(args));
      return { role: 'tool', tool_call_id: id, content: JSON.stringify(output) } as const;
    }),
  );
}

async function callTool(name: string, args: { article: string; currency: string }): Promise<unknown> {
  if (name === 'read_stock') return readStock(args);
  if (name === 'read_price') return readPrice(args);
  return { error: `Tool ${name} not found.` };
}

const CONNECTIONS = 64;

/** Opens a model client: undici on kept connections, without a stream, since no client watches. */
export function openModel(modelUrl: string): NaiveContext['askModel'] {
  const { origin, pathname } = new URL(modelUrl);
  const pool = new Pool(origin, { connections: CONNECTIONS });
  const path = `${pathname}/chat/completions`;
  const headers = { 'content-type': 'application/json', authorization: 'Bearer sk-bench' };
  return async (messages) => {
    const request = JSON.stringify({ model: MODEL, messages, tools: WIRE_TOOLS });
    const { statusCode, body } = await pool.request({ method: 'POST', path, headers, body: request });
    if (statusCode !== 200) throw new Error(`The model answered ${statusCode}: ${await body.text()}`);
    const { choices } = (await body.json()) as { choices: { message: NaiveMessage }[] };
    const message = choices[0]?.message;
    if (!message) throw new Error('The reply of the model has no message.');
    return message;
  };
}

import type postgres from 'postgres';
import type { StepData } from '../contenders/open-bullmq.ts';
import { readPrice, readStock } from '../tools.ts';
import type { AskModel } from './ask-model.ts';
import { loadMessages, type NaiveMessage } from './naive-turn.ts';
import { saveStep } from './save-step.ts';

/** What a worker of the loop uses. `add` enqueues the job of a step; `publishEnd` announces that a turn is over. */
export type NaiveContext = {
  sql: postgres.Sql;
  askModel: AskModel;
  add(turnId: string, step: string): Promise<void>;
  publishEnd(turnId: string): Promise<void>;
};

/** Does one step of a turn, commits it, and adds the job of the next one. A job that comes twice changes nothing. */
export async function workStep(job: StepData, { sql, askModel, add, publishEnd }: NaiveContext): Promise<void> {
  const history = await loadMessages(sql, job.turnId);
  const [kind, number] = job.step.split('-');
  const messages = kind === 'round' ? [await askModel(history)] : await runCalls(history.at(-1));
  const next =
    kind === 'batch' ? `round-${Number(number) + 1}` : messages[0]?.tool_calls?.length ? `batch-${number}` : 'done';
  if (!(await saveStep(sql, job, { messages, position: history.length, next }))) return;

  if (next === 'done') await publishEnd(job.turnId);
  else await add(job.turnId, next);
}

/** Runs the calls of a message side by side; their results are saved together. */
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
  return { error: `There is no tool ${name}.` };
}

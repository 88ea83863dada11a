import type postgres from 'postgres';
import { readPrice, readStock } from '../tools.ts';
import { askModel } from './ask-model.ts';
import { markRunning, saveReply, saveResult } from './naive-checkpoint.ts';
import { loadNaiveTurn, type NaiveMessage, type NaiveTurn } from './naive-turn.ts';

/** What a worker of the loop uses. `add` enqueues the job of a step; `publishEnd` announces that a turn is over. */
export type NaiveContext = {
  sql: postgres.Sql;
  modelUrl: string;
  add(turnId: string, step: string): Promise<void>;
  publishEnd(turnId: string): Promise<void>;
};

/** Does one step of a turn, commits it, and adds the job of the next one. A job that comes twice does nothing. */
export async function workStep({ turnId, step }: { turnId: string; step: string }, context: NaiveContext) {
  const turn = await loadNaiveTurn(context.sql, turnId);
  if (!turn || turn.step !== step) return;

  const [kind, number] = step.split('-');
  if (kind === 'round') await runRound(turn, Number(number), context);
  else await runBatch(turn, Number(number), context);
}

async function runRound(turn: NaiveTurn, number: number, context: NaiveContext): Promise<void> {
  if (turn.status === 'queued') await markRunning(context.sql, turn);
  const { message, usage } = await askModel(context.modelUrl, turn);
  const next = message.tool_calls?.length ? `batch-${number}` : 'done';
  if (!(await saveReply(context.sql, turn, { message, usage, next }))) return;

  if (next === 'done') await context.publishEnd(turn.id);
  else await context.add(turn.id, next);
}

/** The calls side by side, without those that a job before this one has answered. */
async function runBatch(turn: NaiveTurn, number: number, { sql, add }: NaiveContext): Promise<void> {
  const next = `round-${number + 1}`;
  const assistant = turn.messages.findLastIndex(({ role }) => role === 'assistant');
  const answered = new Set(turn.messages.map((message) => message.tool_call_id));
  const calls = [...(turn.messages[assistant]?.tool_calls ?? []).entries()].filter(([, { id }]) => !answered.has(id));
  const saved = await Promise.all(
    calls.map(async ([index, { id, function: called }]) => {
      const output = await callTool(called.name, JSON.parse(called.arguments));
      const message: NaiveMessage = { role: 'tool', tool_call_id: id, content: JSON.stringify(output) };
      return saveResult(sql, turn, { message, position: assistant + 1 + index, next });
    }),
  );
  if (saved.some((isLast) => isLast)) await add(turn.id, next);
}

async function callTool(name: string, args: { article: string; currency: string }): Promise<unknown> {
  if (name === 'read_stock') return readStock(args);
  if (name === 'read_price') return readPrice(args);
  return { error: `There is no tool ${name}.` };
}

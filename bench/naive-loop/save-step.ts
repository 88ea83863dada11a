import type postgres from 'postgres';
import type { StepData } from '../contenders/open-bullmq.ts';
import type { NaiveMessage } from './naive-turn.ts';

/** What a step leaves: new messages behind the `position` earlier ones, and the step that is next, or `done`. */
export type NaiveProgress = { messages: NaiveMessage[]; position: number; next: string };

/** Saves what a step has done, in a transaction of its own; false where another job was faster. */
export async function saveStep(
  sql: postgres.Sql,
  { turnId, step }: StepData,
  { messages, position, next }: NaiveProgress,
): Promise<boolean> {
  const isDone = next === 'done';
  const output = isDone ? (messages[0]?.content ?? null) : null;
  return sql.begin(async (trx) => {
    const { count } = await trx`
      update naive.turns
      set status = ${isDone ? 'completed' : 'running'}, step = ${next}, output = ${output}, updated_at = now()
      where id = ${turnId} and step = ${step}`;
    if (count === 0) return false;
    for (const [index, message] of messages.entries()) {
      await trx`
        insert into naive.messages (turn_id, position, message)
        values (${turnId}, ${position + index}, ${trx.json(message)})`;
    }
    return true;
  });
}

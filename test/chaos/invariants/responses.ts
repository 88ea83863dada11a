import type { History } from '../history.ts';
import { ANSWERING } from '../load/play-response.ts';

/** Returns clients of a stream that received an output other than the stored output, or only a part. */
export function deceivedReaders({ responses }: Pick<History, 'responses'>): string[] {
  const deceived = responses.filter(({ seen, stored }) => seen !== stored);
  return deceived.map(({ id, seen, stored }) => `the client of ${id} received ${seen}, but ${stored} is stored`);
}

/** Returns handed-over calls that were not answered once in their thread: never, or by several turns. */
export function oddAnswersOfCallers({ rows, gone, plans }: Pick<History, 'rows' | 'gone' | 'plans'>): string[] {
  const planOf = new Map(rows.turns.map(({ id, plan }) => [id, plan]));
  const responses = new Set(plans.filter(({ shape }) => shape === 'response').map(({ number }) => number));
  const answers = Map.groupBy(rows.answers, ({ callId }) => callId);
  return rows.calls.flatMap(({ id, turnId, name, outcome }) => {
    const plan = planOf.get(turnId);
    if (outcome !== 'handed_over' || name === 'pay' || plan === undefined || !responses.has(plan)) return [];
    const answered = answers.get(id)?.length ?? 0;
    return answered === (isAnswerErased(plan, gone) ? 0 : 1)
      ? []
      : [`${id} of ${turnId} was answered by ${answered} turns`];
  });
}

/**
 * Returns calls that a person allowed and that not exactly one turn adopted. Two clients request each call at once.
 */
export function oddAdoptions({ rows, gone }: Pick<History, 'rows' | 'gone'>): string[] {
  const planOf = new Map(rows.turns.map(({ id, plan }) => [id, plan]));
  const payments = rows.calls.filter(({ name }) => name === 'pay');
  return payments.flatMap(({ turnId, mark, outcome }) => {
    const plan = planOf.get(turnId);
    if (outcome !== 'handed_over' || plan === undefined) return [];
    const adopted = payments.filter((call) => call.round === 0 && call.mark === mark).length;
    return adopted === (isAnswerErased(plan, gone) ? 0 : 1) ? [] : [`pay ${mark} was adopted by ${adopted} turns`];
  });
}

function isAnswerErased(plan: number, gone: History['gone']): boolean {
  return gone.some((one) => one.plan === plan + ANSWERING);
}

/** Returns responses that were deleted, or not stored, and still exist. */
export function keptContent({ rows, gone }: Pick<History, 'rows' | 'gone'>): string[] {
  const there = new Set(rows.turns.map(({ id }) => id));
  return gone.filter(({ turnId }) => there.has(turnId)).map(({ turnId }) => `${turnId} was not erased`);
}

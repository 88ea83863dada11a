import type { Context } from 'hono';
import { allCalls } from '#core/turn/call.ts';
import { iso } from '#core/turn/resource/iso.ts';
import { presentTurn } from '#core/turn/resource/turn.ts';
import type { Turn } from '#core/turn/turn.ts';
import { publishChanges } from '../../../process/publish-changes.ts';
import { toolContent } from '../../../process/trace/content.ts';
import { toolSpan } from '../../../process/trace/turn-spans.ts';
import type { ApiContext } from '../../context.ts';
import { findOwnTurn } from '../../http/find-own.ts';
import { setPollAfter } from '../../http/poll-after.ts';
import type { ApiEnv } from '../../http/router.ts';
import { type SubmittedAnswer, submitAnswers } from './submit-answers.ts';

/** Takes the answers to calls of a turn, all or none, and answers with the updated turn. */
export async function takeAnswers(
  c: Context<ApiEnv>,
  context: ApiContext,
  { id, answers }: { id: string; answers: SubmittedAnswer[] },
) {
  const { written, wakeups } = await submitAnswers(context.db, id, answers);
  if (written.length > 0) await publishChanges(context, { wakeups, changed: [id] });
  const turn = await findOwnTurn(context.db, c.get('project'), id);
  reportAnswers(turn, { callIds: answers.map(({ callId }) => callId), written }, context);
  setPollAfter(c, turn);
  return presentTurn(turn);
}

/** Reports the settled calls. Their spans reach from their round to the answer. */
function reportAnswers(
  turn: Turn,
  { callIds, written }: { callIds: string[]; written: number[] },
  { tracer, redact }: Pick<ApiContext, 'tracer' | 'redact'>,
): void {
  if (!tracer.isOn || written.length === 0) return;
  for (const call of allCalls(turn)) {
    const { result, completedAt } = call;
    if (!result || !completedAt || !callIds.includes(call.id) || !written.includes(call.index)) continue;
    const round = turn.rounds.find(({ number }) => number === call.round);
    const endedAt = Date.parse(iso(completedAt));
    const span = toolSpan(turn, {
      call,
      result,
      startedAt: Date.parse(iso(round?.completedAt ?? completedAt)),
      endedAt,
    });
    const content = tracer.withContent ? toolContent(call, result, redact) : {};
    tracer.report({ ...span, attributes: { ...span.attributes, ...content } });
  }
}

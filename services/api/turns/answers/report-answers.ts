import { allCalls } from '#core/turn/call.ts';
import { iso } from '#core/turn/resource/iso.ts';
import type { Turn } from '#core/turn/turn.ts';
import { toolContent } from '../../../process/trace/content.ts';
import { toolSpan } from '../../../process/trace/turn-spans.ts';
import type { ApiContext } from '../../context.ts';

/**
 * Reports the calls of a request that this commit has settled, `written` by their indexes: their spans reach from the round that
 * asked for them to the answer of the client, or of the person who denied them.
 */
export function reportAnswers(
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

import type { Redact } from '#core/redact.ts';
import type { Turn } from '#core/turn/turn.ts';
import type { Metrics } from './metrics/metrics.ts';
import { turnContent } from './trace/content.ts';
import type { Tracer } from './trace/tracer.ts';
import { type TurnEnd, turnSpan } from './trace/turn-spans.ts';

/** What the end of a turn is reported to. */
export type EndReporting = { metrics: Metrics; tracer: Tracer; redact: Redact };

/** Reports that a turn has ended, once the commit that ended it has succeeded: it is counted, and its own span is over. */
export function reportTurnEnd(
  turn: Turn,
  end: Omit<TurnEnd, 'endedAt'>,
  { metrics, tracer, redact }: EndReporting,
): void {
  metrics.turnEnded(turn.project, end.status);
  if (!tracer.isOn) return;
  const span = turnSpan(turn, { ...end, endedAt: Date.now() });
  const content = tracer.withContent
    ? turnContent({ input: turn.input, output: end.output ?? turn.output }, redact)
    : {};
  tracer.report({ ...span, attributes: { ...span.attributes, ...content } });
}

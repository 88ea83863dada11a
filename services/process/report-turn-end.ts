import type { Redact } from '#core/redact.ts';
import type { Turn } from '#core/turn/turn.ts';
import type { Metrics } from './metrics/metrics.ts';
import { turnContent } from './trace/content.ts';
import type { Tracer } from './trace/tracer.ts';
import { type TurnEnd, turnSpan } from './trace/turn-spans.ts';

export type EndReporting = { metrics: Metrics; tracer: Tracer; redact: Redact };

/** Reports the end of a turn after its commit has succeeded: counts the turn, and ends its span. */
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

import { toolContent } from '../../process/trace/content.ts';
import { type AnsweredCall, toolSpan } from '../../process/trace/turn-spans.ts';
import type { WorkerContext } from '../context.ts';
import type { Run } from '../lease/run.ts';

/** Reports a call whose result was committed. */
export function reportCall(
  { turn }: Pick<Run, 'turn'>,
  answered: AnsweredCall,
  { metrics, tracer, redact }: Pick<WorkerContext, 'metrics' | 'tracer' | 'redact'>,
): void {
  const { call, result } = answered;
  metrics.toolAnswered(call.name, result.error?.category ?? 'success', result.duration_ms);
  if (!tracer.isOn) return;
  const span = toolSpan(turn, answered);
  const content = tracer.withContent ? toolContent(call, result, redact) : {};
  tracer.report({ ...span, attributes: { ...span.attributes, ...content } });
}

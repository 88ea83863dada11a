import type { Reply, Usage } from '#core/turn/reply.ts';
import { replyContent } from '../../process/trace/content.ts';
import { chatSpan } from '../../process/trace/turn-spans.ts';
import type { WorkerContext } from '../context.ts';
import type { Attempt, Run, Tried } from '../lease/run.ts';

/** The resources for reports of attempts. */
type Reporting = Pick<WorkerContext, 'metrics' | 'tracer' | 'redact'>;

/** Reports a round after the commit of its reply, with its usage and cost. */
export function reportRound(run: Run, reply: Reply & { usage: Usage | null }, reporting: Reporting): void {
  const { attempt, turn } = run;
  if (!attempt) return;
  const { model, startedAt, firstChunkAt, repliedAt } = attempt;
  const firstChunkMs = firstChunkAt === null ? null : firstChunkAt - startedAt;
  const durationMs = (repliedAt ?? Date.now()) - startedAt;
  reporting.metrics.roundSaved({ project: turn.project, model, durationMs, firstChunkMs, usage: reply.usage });
  trace(run, attempt, { reply, errorType: null }, reporting);
}

/**
 * Reports that a request of a run brought no reply, if the run made a request. `outcome` is the code of the failure.
 * Returns the run without the request, so that a continuing run reports it once.
 */
export function reportFailedAttempt(run: Run, outcome: string, reporting: Reporting): Run {
  const { attempt } = run;
  if (!attempt) return run;
  reporting.metrics.roundAttempted(attempt.model, outcome);
  trace(run, attempt, { reply: null, errorType: outcome }, reporting);
  return { ...run, failed: { round: attempt.round, startedAt: attempt.startedAt }, attempt: null };
}

/** Returns the last failed try of a round, so that the span of the next try can link to it. Null if tracing is off. */
export function failedTry({ attempt, failed }: Run, { tracer }: Pick<Reporting, 'tracer'>): Tried | null {
  if (!tracer.isOn) return null;
  return attempt ? { round: attempt.round, startedAt: attempt.startedAt } : failed;
}

type Outcome = { reply: Reply | null; errorType: string | null };

function trace(run: Run, attempt: Attempt, { reply, errorType }: Outcome, { tracer, redact }: Reporting): void {
  if (!tracer.isOn) return;
  const { turn, queueWaitMs, failed } = run;
  const before = failed ?? turn.trace?.failed;
  const span = chatSpan(turn, {
    ...{ ...attempt, reply, errorType, queueWaitMs },
    endedAt: attempt.repliedAt ?? Date.now(),
    attempt: turn.work.attempts + turn.work.starts + 1,
    failedBefore: before?.round === attempt.round ? before : null,
  });
  const content = attempt.prompt ? { ...attempt.prompt, ...replyContent(reply, redact) } : {};
  tracer.report({ ...span, attributes: { ...span.attributes, ...content } });
}

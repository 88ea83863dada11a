import type { Provider } from '#core/llm/provider.ts';
import type { RoundStep } from '#core/turn/next-step.ts';
import type { Tracer } from '../../process/trace.ts';
import type { Run } from '../lease/run.ts';

type Caller = Pick<Provider, 'ask' | 'name'>;

/** Counts and traces each request: a round of a dialect may take several, and those before a failed one were made too. */
export function recordRequests(
  provider: Caller,
  { run, step, model, tracer }: { run: Run; step: RoundStep; model: string; tracer: Tracer },
): Caller {
  const { id, work } = run.turn;
  const round = { 'pawl.turn_id': id, 'pawl.round': step.round, 'pawl.generation': work.generation };
  return {
    name: provider.name,
    ask: (...request) => {
      run.requests += 1;
      const attributes = { ...round, 'pawl.model': model };
      return tracer.span('pawl.model_request', attributes, () => provider.ask(...request));
    },
  };
}

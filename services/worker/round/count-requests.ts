import type { Provider } from '#core/llm/provider.ts';
import type { Run } from '../lease/run.ts';

type Caller = Pick<Provider, 'ask' | 'name'>;

/** Counts each request: a round of a dialect may take several, and those before a failed one were made too. */
export function countRequests(provider: Caller, run: Run): Caller {
  return {
    name: provider.name,
    ask: (...request) => {
      run.requests += 1;
      return provider.ask(...request);
    },
  };
}

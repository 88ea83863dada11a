import { type Reply, sumRequests } from '../../turn/reply.ts';
import { unusable } from '../errors/name-failure.ts';
import type { Provider, RoundRequest } from '../provider.ts';
import { followsRefusal, joinRefusals } from '../refusals/with-own-state.ts';
import { withoutState } from '../refusals/without-state.ts';
import { withoutTools } from './forbid-calls.ts';

type Asker = Pick<Provider, 'ask' | 'name'>;

/**
 * Returns the provider with a rule for an empty reply:
 * - After tool results the request is repeated once. A second empty reply counts, since the model has no more to say.
 * - If no tool may be called, the request is repeated once without tools, since some models still call a tool.
 * - Otherwise an empty reply is a failed attempt, `provider_bad_response`.
 */
export function settleEmpty(provider: Asker): Asker {
  return {
    name: provider.name,
    async ask(request, signal, onDelta) {
      const first = await provider.ask(request, signal, onDelta);
      if (!isEmpty(first)) return first;
      const isAskedAgain = followsResults(request) || hasIdleTools(request);
      if (!isAskedAgain) throw unusable(provider.name, 'the reply is empty');
      const asked = followsRefusal(first) ? withoutState(request) : request;
      const second = await provider.ask(request.mayCall ? asked : withoutTools(asked), signal, onDelta);
      if (isEmpty(second) && !followsResults(request)) throw unusable(provider.name, 'the reply is empty');
      const reply = joinRefusals(second, [first]);
      return { ...reply, ...(isEmpty(second) ? { text: null } : {}), ...usedByBoth(first, second) };
    },
  };
}

function isEmpty({ text, calls, finishReason, hasMore = false }: Reply): boolean {
  const isExplained = finishReason !== 'stop' && finishReason !== 'tool_calls';
  return !isExplained && !hasMore && calls.length === 0 && !text?.trim();
}

function hasIdleTools({ tools, mayCall }: RoundRequest): boolean {
  return !mayCall && tools.length > 0;
}

/** Returns whether the model has received results of tools since its last message. */
function followsResults({ messages }: RoundRequest): boolean {
  const spoken = messages.findLastIndex(({ role }) => role === 'assistant');
  return messages.slice(spoken + 1).some(({ role }) => role === 'tool');
}

function usedByBoth(first: Reply, second: Reply): Pick<Reply, 'usage' | 'requests' | 'warnings'> {
  const warnings = [...(first.warnings ?? []), ...(second.warnings ?? [])];
  return {
    ...(warnings.length > 0 ? { warnings } : {}),
    usage: sumRequests([first.usage, second.usage]),
    requests: (first.requests ?? 1) + (second.requests ?? 1),
  };
}

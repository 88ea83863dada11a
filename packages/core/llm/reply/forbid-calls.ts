import { ProviderFailed } from '../../failure.ts';
import type { Reply } from '../../turn/reply.ts';
import type { Provider, RoundRequest } from '../provider.ts';

type Asker = Pick<Provider, 'ask' | 'name'>;

/**
 * Returns the provider with a rule for a round that may call no tool. Its tools are still declared, with the choice
 * `none`:
 * - If a server refuses this, or reports a call as a bad reply, the request is repeated without tools.
 * - Calls in the reply are dropped. Some servers ignore the choice, and some models do not follow it.
 */
export function forbidCalls(provider: Asker): Asker {
  return {
    name: provider.name,
    async ask(request, signal, onDelta) {
      if (request.mayCall) return provider.ask(request, signal, onDelta);
      let isShown = false;
      const ask = (asked: RoundRequest) =>
        provider.ask(asked, signal, (delta) => {
          if (delta.kind === 'tool-arguments') return;
          isShown ||= delta.kind !== 'reasoning';
          onDelta(delta);
        });
      if (request.tools.length === 0) return withoutCalls(await ask(request));
      const reply = await unlessFailed(
        () => ask(request),
        ({ code }) => !isShown && mayBeOfTools(code),
      );
      return withoutCalls(reply ?? countRefusal(await ask(withoutTools(request))));
    },
  };
}

/**
 * Returns the request without tools. A wire that requires declared tools then sends the calls of the history as text.
 */
export function withoutTools(request: RoundRequest): RoundRequest {
  const { hostedTools: _, ...plain } = request;
  return { ...plain, tools: [], declaredTools: null };
}

/** Returns the reply, or null if it fails in the given way. */
export async function unlessFailed(
  ask: () => Promise<Reply>,
  isSuch: (failure: ProviderFailed) => boolean,
): Promise<Reply | null> {
  try {
    return await ask();
  } catch (failure) {
    if (failure instanceof ProviderFailed && isSuch(failure)) return null;
    throw failure;
  }
}

/** Returns whether a provider may have refused the tools. If another cause was refused, the next request fails too. */
export function mayRefuseTools(code: string): boolean {
  return code === 'provider_invalid_request' || code === 'model_unsupported_feature';
}

/**
 * Returns whether a failure may be about tools. Some servers report a forbidden call as an error or as a broken
 * reply.
 */
function mayBeOfTools(code: string): boolean {
  return mayRefuseTools(code) || code === 'provider_bad_response';
}

/** Returns a reply after a refused request. Both requests count. */
function countRefusal(reply: Reply): Reply {
  return { ...reply, requests: (reply.requests ?? 1) + 1 };
}

/** Removes calls. Without a text, the thoughts only led to the calls, so the rest of the reply is empty. */
function withoutCalls(reply: Reply): Reply {
  const { calls, text, finishReason } = reply;
  if (calls.length === 0) return reply;
  const said = text?.trim() ? {} : { hasMore: false };
  return { ...reply, ...said, calls: [], finishReason: finishReason === 'tool_calls' ? 'stop' : finishReason };
}

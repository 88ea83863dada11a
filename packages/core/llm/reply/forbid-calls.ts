import { ProviderFailed } from '../../failure.ts';
import type { Reply } from '../../turn/reply.ts';
import type { Provider, RoundRequest } from '../provider.ts';

type Asker = Pick<Provider, 'ask' | 'name'>;

/**
 * The same provider, with a rule for a round that may call no tool. Its tools are still declared, with the choice
 * `none`:
 * - A server that refuses this, or reports a call as a bad reply, is asked once more without tools.
 * - Calls in the reply are dropped. Some servers do not read the choice, and some models do not follow it.
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

/** The same request without tools. A wire that wants tools declared for the calls of a history gets these as text. */
export function withoutTools(request: RoundRequest): RoundRequest {
  return { ...request, tools: [], declaredTools: null };
}

/** The reply; null if it fails in the given way. */
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

/** Whether a provider may have refused the tools. If it refused something else, it refuses the next request too. */
export function mayRefuseTools(code: string): boolean {
  return code === 'provider_invalid_request' || code === 'model_unsupported_feature';
}

/** Some servers report a call that was not allowed as an error, or as a reply that is broken. */
function mayBeOfTools(code: string): boolean {
  return mayRefuseTools(code) || code === 'provider_bad_response';
}

/** A reply after a refused request. Both requests count. */
function countRefusal(reply: Reply): Reply {
  return { ...reply, requests: (reply.requests ?? 1) + 1 };
}

/** Without a text, a thought only led to the calls: the rest of the reply says nothing. */
function withoutCalls(reply: Reply): Reply {
  const { calls, text, finishReason } = reply;
  if (calls.length === 0) return reply;
  const said = text?.trim() ? {} : { hasMore: false };
  return { ...reply, ...said, calls: [], finishReason: finishReason === 'tool_calls' ? 'stop' : finishReason };
}

import type { AskedCall } from '../turn/message.ts';
import type { Reply } from '../turn/reply.ts';
import { nameFailure } from './name-failure.ts';
import { boundReply, REPLY_LIMITS, UnusableReply } from './reply-limits.ts';

/** The reply that `asking` brings, if it is within the limits; beyond them a `ProviderFailed` `provider_bad_response`. */
export async function usableReply(provider: string, asking: Promise<Reply>): Promise<Reply> {
  try {
    const reply = await asking;
    checkReply(reply);
    return reply;
  } catch (error) {
    if (!(error instanceof UnusableReply)) throw error;
    throw nameFailure('provider_bad_response', { provider, reason: error.message });
  }
}

function checkReply({ calls, opaque }: Reply): void {
  boundReply(calls.length, REPLY_LIMITS.calls, 'tool calls');
  for (const call of calls) checkCall(call);
  const state = opaque === null ? '' : JSON.stringify(opaque);
  boundReply(state.length, REPLY_LIMITS.stateLength, 'of reasoning, blocks and parts to keep');
}

/** How deep its arguments are is for the tool's check: the model is told, and the reply stays. */
function checkCall({ name, arguments: args }: AskedCall): void {
  boundReply(name.length, REPLY_LIMITS.nameLength, 'characters in the name of a tool');
  boundReply(args.length, REPLY_LIMITS.argumentsLength, 'of arguments in one call');
}

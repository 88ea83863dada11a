import { isId } from '../../id.ts';

const PREFIX = 'chatcmpl-';

/** Returns the id of the completion that a turn is: `turn_X` is `chatcmpl-X` (contract-responses R80). */
export function completionIdOf(turnId: string): string {
  return turnId.replace(/^turn_/, PREFIX);
}

/** Returns the id of the turn that a completion is; undefined if the text is not the id of a completion. */
export function turnIdOfCompletion(completionId: string): string | undefined {
  const turnId = `turn_${completionId.slice(PREFIX.length)}`;
  return completionId.startsWith(PREFIX) && isId('turn', turnId) ? turnId : undefined;
}

const OLDER_CALL = 'function_call_';

/** Returns the id of the call of a message in the older form, which has none. `at` is the place of the message. */
export function functionCallId(at: number): string {
  return `${OLDER_CALL}${at}`;
}

/** Returns whether a call came in the older form. */
export function isFunctionCallId(callId: string): boolean {
  return callId.startsWith(OLDER_CALL);
}

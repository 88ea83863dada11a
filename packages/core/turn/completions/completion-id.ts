import { isId } from '../../id.ts';

const PREFIX = 'chatcmpl-';

/** Returns the id of a turn's completion: `turn_X` becomes `chatcmpl-X`. */
export function completionIdOf(turnId: string): string {
  return turnId.replace(/^turn_/, PREFIX);
}

/** Returns the id of a completion's turn, or undefined for any other text. */
export function turnIdOfCompletion(completionId: string): string | undefined {
  const turnId = `turn_${completionId.slice(PREFIX.length)}`;
  return completionId.startsWith(PREFIX) && isId('turn', turnId) ? turnId : undefined;
}

const OLDER_CALL = 'function_call_';

/** Returns an id for a call in the older form, which has no id. `at` is the index of its message. */
export function functionCallId(at: number): string {
  return `${OLDER_CALL}${at}`;
}

/** Returns whether a call has the older form. */
export function isFunctionCallId(callId: string): boolean {
  return callId.startsWith(OLDER_CALL);
}

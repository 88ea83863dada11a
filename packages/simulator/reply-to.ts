import type { ChatAttempt } from './chat-request.ts';
import { currentTurn } from './current-turn.ts';
import { refuse } from './error-body.ts';
import { playScript } from './play-script.ts';
import type { SimulatedResponse } from './reply.ts';
import { replyUnscripted } from './reply-unscripted.ts';
import { findScript } from './script.ts';

/** Decides the response from the request alone; the same request always gets the same response. */
export function replyTo(attempt: ChatAttempt): SimulatedResponse {
  const turn = currentTurn(attempt.body.messages);
  const found = findScript(turn.input);
  switch (found.kind) {
    case 'none':
      return replyUnscripted(attempt, turn);
    case 'script':
      return playScript(found.script, attempt, turn);
    case 'broken': {
      const { param, message } = found;
      return refuse({ code: 'invalid_script', message: `The script cannot be played: ${param}: ${message}`, param });
    }
  }
}

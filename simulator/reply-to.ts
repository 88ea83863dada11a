import type { Act } from './act.ts';
import type { Asked } from './asked.ts';
import { checkHistory } from './check-history.ts';
import { currentTurn } from './current-turn.ts';
import { refusalBody } from './error-body.ts';
import { findScript } from './find-script.ts';
import { improvise } from './improvise.ts';
import { playScript } from './play-script.ts';

/** Decides from the request alone what the model does; the same request always gets the same act. */
export function replyTo(asked: Asked): Act {
  const problem = checkHistory(asked.body.messages);
  if (problem) return refuse('invalid_history', problem, 'messages');

  const turn = currentTurn(asked.body.messages);
  const found = findScript(turn.words);
  switch (found.kind) {
    case 'none':
      return improvise(asked, turn);
    case 'script':
      return playScript(found.script, asked, turn);
    case 'broken':
      return refuse('invalid_script', `The script cannot be played: ${found.param}: ${found.message}`, found.param);
  }
}

function refuse(code: string, message: string, param: string): Act {
  return { kind: 'error', status: 400, headers: {}, body: refusalBody(code, message, param), thinkMs: 0 };
}

import { styleText } from 'node:util';
import type { Turn, TurnHandle } from '../../client/connect-pawl.ts';
import type { ChatTerminal } from './chat-terminal.ts';
import type { ChatView } from './chat-view.ts';
import type { Line } from './read-line.ts';
import { describeCall } from './show-answer.ts';

/** The approvals and outputs that the shown turn waits for. */
export type Action = NonNullable<Turn['required_action']>;

export type CallAnswer = Extract<Line, { kind: 'allow' | 'deny' | 'edit' | 'output' }>;

/** Shows the first call that waits, and asks for the approval that it requires. */
export function askAboutCalls(
  action: Action | null,
  { view, terminal }: { view: ChatView; terminal: ChatTerminal },
): void {
  const [approval] = action?.approvals ?? [];
  const [output] = action?.tool_outputs ?? [];
  terminal.setPrompt(approval ? 'y/n> ' : '> ');
  if (approval) view.say(styleText('yellow', `? ${describeCall(approval)}  Allow it? y, n and why, e to edit`));
  else if (output) view.say(styleText('yellow', `? ${describeCall(output)}  waits for its client: /output <value>`));
}

/** Answers the first waiting call and returns the changed turn. Returns undefined if no answer was sent. */
export async function answerCall(
  answer: CallAnswer,
  { turn, action }: { turn: TurnHandle; action: Action },
  { view, terminal }: { view: ChatView; terminal: ChatTerminal },
): Promise<Turn | undefined> {
  const [call] = answer.kind === 'output' ? action.tool_outputs : action.approvals;
  if (!call) {
    view.note('No call waits for this answer.');
    return undefined;
  }
  switch (answer.kind) {
    case 'allow':
      return turn.approve(call.id, { arguments: answer.arguments });
    case 'deny':
      return turn.deny(call.id, answer.reason);
    case 'output':
      return turn.submitToolOutputs([{ tool_call_id: call.id, output: answer.output }]);
    case 'edit':
      if (terminal.isTerminal) terminal.prefill(JSON.stringify(call.arguments));
      else view.note('Type new arguments for the call, as JSON.');
      return undefined;
  }
}

import { styleText } from 'node:util';
import type { Turn, TurnHandle } from '../../client/connect-pawl.ts';
import type { ChatTerminal } from './chat-terminal.ts';
import type { ChatView } from './chat-view.ts';
import type { Line } from './read-line.ts';
import { describeCall } from './show-answer.ts';

/** What the turn that is shown waits for. */
export type Action = NonNullable<Turn['required_action']>;

/** A line that answers a call. */
export type CallAnswer = Extract<Line, { kind: 'allow' | 'deny' | 'edit' | 'output' }>;

/** Says what a turn waits for, and asks about the first call that a person has to allow. */
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

/** Answers the first call that waits; returns the turn as it is then. Undefined where nothing was answered. */
export async function answerCall(
  answer: CallAnswer,
  { turn, action }: { turn: TurnHandle; action: Action },
  { view, terminal }: { view: ChatView; terminal: ChatTerminal },
): Promise<Turn | undefined> {
  const [call] = answer.kind === 'output' ? action.tool_outputs : action.approvals;
  if (!call) {
    view.note('No call waits for that.');
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
      else view.note('Type the arguments that it may be made with, as JSON.');
      return undefined;
  }
}

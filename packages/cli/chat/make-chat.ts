import type { ConversationHandle, Pawl, TurnHandle, TurnRequest } from '../../client/connect-pawl.ts';
import { answerCall, type CallAnswer } from './answer-calls.ts';
import { type Around, complain, type FollowedTurns, followTurns } from './follow-turns.ts';
import { chatHelp, type Line } from './read-line.ts';

/** How a chat begins: with a conversation, or with what the first line starts one with. */
export type ChatCommand = {
  conversationId: string | undefined;
  request: Omit<TurnRequest, 'input'>;
  /** What is typed while an answer is written waits for its end. */
  waits: boolean;
};

export type Chat = {
  turns: FollowedTurns;
  /** The conversation, once there is one. */
  conversation(): ConversationHandle | undefined;
  /** Does what a line asks for; resolves when the API has it. */
  take(line: Line): Promise<void>;
  /** Stops the answer that is written; false where none is. */
  stop(): boolean;
};

/** What happens to what is said while an answer is written. */
type OnActive = 'steer' | 'enqueue' | 'interrupt';
type Parts = Around & {
  turns: FollowedTurns;
  waits: boolean;
  start(input: string, onActive: OnActive): Promise<TurnHandle>;
};

/** A chat with a conversation; the first line starts one where there is none. */
export function makeChat(pawl: Pawl, { conversationId, request, waits }: ChatCommand, around: Around): Chat {
  const { view, signal } = around;
  const turns = followTurns(around);
  let conversation = conversationId === undefined ? undefined : pawl.conversations.attach(conversationId);

  async function start(input: string, onActive: OnActive): Promise<TurnHandle> {
    if (conversation) return conversation.start({ input, on_active_turn: onActive }, { signal });
    const { turn, ...created } = await pawl.conversations.create({ ...request, input }, { signal });
    conversation = created;
    view.note(created.id);
    if (!turn) throw new Error('The server started no turn. Say it again.');
    return turn;
  }

  const parts = { ...around, turns, waits, start };
  return {
    turns,
    conversation: () => conversation,
    take: (line) => takeLine(line, parts),
    stop: () => stopTurn(parts),
  };
}

async function takeLine(line: Line, parts: Parts): Promise<void> {
  const { view } = parts;
  switch (line.kind) {
    case 'text':
      return say(line.text, parts.waits ? 'enqueue' : 'steer', parts);
    case 'wait':
      return say(line.text, 'enqueue', parts);
    case 'stop':
      if (line.text !== undefined) return say(line.text, 'interrupt', parts);
      if (!stopTurn(parts)) view.note('Nothing is at work.');
      return;
    case 'allow':
    case 'deny':
    case 'edit':
    case 'output':
      return answer(line, parts);
    case 'retry':
      return retry(parts);
    case 'help':
      return view.say(chatHelp);
    case 'misused':
      return view.note(line.problem);
    case 'quit':
    case 'nothing':
      return;
  }
}

async function say(input: string, onActive: OnActive, { view, turns, start }: Parts): Promise<void> {
  const isActive = turns.current() !== undefined;
  const turn = await start(input, onActive);
  if (isActive && onActive === 'enqueue') view.note('… said after this answer');
  turns.show(turn);
}

async function answer(line: CallAnswer, { view, terminal, turns, signal }: Parts): Promise<void> {
  const turn = turns.current();
  const action = turns.action();
  if (!turn || !action) return view.note('No call waits for that.');
  const answered = await answerCall(line, { turn, action }, { view, terminal }).catch((error: unknown) => {
    complain(error, view);
    // Another client may have answered.
    return turn.get({ signal });
  });
  if (answered) turns.notice(answered);
}

function stopTurn({ turns, view, signal }: Parts): boolean {
  const turn = turns.current();
  void turn?.cancel({ signal }).catch((error: unknown) => complain(error, view));
  return turn !== undefined;
}

async function retry({ turns, view, signal }: Parts): Promise<void> {
  const turn = turns.failed();
  if (!turn) return view.note('No turn of this chat has failed.');
  const { last_event: after } = await turn.get({ signal });
  await turn.retry({ signal });
  turns.show(turn, after);
}

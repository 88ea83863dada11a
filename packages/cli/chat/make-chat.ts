import type { ConversationHandle, Pawl, TurnHandle, TurnRequest } from '../../client/connect-pawl.ts';
import { answerCall, type CallAnswer } from './answer-calls.ts';
import { type Around, complain, type FollowedTurns, followTurns } from './follow-turns.ts';
import { chatHelp, type Line } from './read-line.ts';

/** The options of a chat: its conversation, or the request that its first line starts. */
export type ChatCommand = {
  conversationId: string | undefined;
  request: Omit<TurnRequest, 'input'>;
  /** Whether text that is typed during an answer becomes the next turn. */
  waits: boolean;
};

export type Chat = {
  turns: FollowedTurns;
  /** Returns the conversation after the first line has started it. */
  conversation(): ConversationHandle | undefined;
  /** Runs the command of a line. Resolves when the API has accepted it. */
  take(line: Line): Promise<void>;
  /** Stops the running answer. Returns false if no answer is running. */
  stop(): boolean;
};

/** How text that is typed during an answer reaches the turn. */
type OnActive = 'steer' | 'enqueue' | 'interrupt';
type Parts = Around & {
  turns: FollowedTurns;
  waits: boolean;
  start(input: string, onActive: OnActive): Promise<TurnHandle>;
};

/** Makes a chat in a conversation. The first line starts a conversation if none is given. */
export function makeChat(pawl: Pawl, { conversationId, request, waits }: ChatCommand, around: Around): Chat {
  const { view, signal } = around;
  const turns = followTurns(around);
  let conversation = conversationId === undefined ? undefined : pawl.conversations.attach(conversationId);

  async function start(input: string, onActive: OnActive): Promise<TurnHandle> {
    if (conversation) return conversation.start({ input, on_active_turn: onActive }, { signal });
    const { turn, ...created } = await pawl.conversations.create({ ...request, input }, { signal });
    conversation = created;
    view.note(created.id);
    if (!turn) throw new Error('The server did not start a turn. Send the message again.');
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
      if (!stopTurn(parts)) view.note('No turn is running.');
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
  if (isActive && onActive === 'enqueue') view.note('… will be sent after this answer');
  turns.show(turn);
}

async function answer(line: CallAnswer, { view, terminal, turns, signal }: Parts): Promise<void> {
  const turn = turns.current();
  const action = turns.action();
  if (!turn || !action) return view.note('No call waits for an answer.');
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

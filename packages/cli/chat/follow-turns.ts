import { styleText } from 'node:util';
import type { Turn, TurnEvent, TurnHandle } from '../../client/connect-pawl.ts';
import { makeVisible } from '../make-visible.ts';
import { type Action, askAboutCalls } from './answer-calls.ts';
import type { ChatTerminal } from './chat-terminal.ts';
import type { ChatView } from './chat-view.ts';
import { showAnswer } from './show-answer.ts';

/** What a chat is shown with; `signal` ends it, `failed` shows what kept a line or an answer from it. */
export type Around = {
  view: ChatView;
  terminal: ChatTerminal;
  signal: AbortSignal;
  failed(error: unknown): void;
};

/** Where a chat is: nothing to do, an answer being written, one that waits for a person or a client, or one that failed. */
export type ChatStatus = 'idle' | 'working' | 'waiting' | 'failed';

/** The turns of a chat, shown one after the other. */
export type FollowedTurns = {
  /** The one that is shown now. */
  current(): TurnHandle | undefined;
  /** The last one, where it failed. */
  failed(): TurnHandle | undefined;
  /** What the current one waits for. */
  action(): Action | null;
  /** Takes what it waits for from an answer of the API. */
  notice(turn: Turn): void;
  status(): ChatStatus;
  /** Shows a turn once those before it have ended, with the events after the one of that number. */
  show(turn: TurnHandle, after?: number): void;
  /** Resolves when none is at work. */
  idle(): Promise<void>;
};

type Followed = { turn: TurnHandle; after: number; hasEnded: boolean };

/** Follows turns to their ends. What goes wrong is shown. */
export function followTurns(around: Around): FollowedTurns {
  const queue: Followed[] = [];
  const action = trackAction(around);
  let failed: TurnHandle | undefined;
  let answer = showAnswer(around.view);

  async function followAll(): Promise<void> {
    for (let next = queue[0]; next; next = queue[0]) {
      await follow(next).catch((error: unknown) => around.signal.aborted || around.failed(error));
      queue.shift();
      action.clear();
    }
  }
  async function follow(followed: Followed): Promise<void> {
    answer = showAnswer(around.view);
    for await (const event of eventsOf(followed, around)) {
      if ('turn' in event) end(followed, event);
      answer.show(event);
      if (mayWait(event)) notice(await followed.turn.get({ signal: around.signal }));
      if (followed.hasEnded) return;
    }
  }
  function notice(turn: Turn): void {
    answer.notice(makeVisible(turn));
    action.notice(turn);
  }
  function end(followed: Followed, { type }: TurnEvent): void {
    followed.hasEnded = true;
    failed = type === 'turn.failed' ? followed.turn : undefined;
  }
  const status = () => {
    if (action.now()) return 'waiting';
    if (queue.length > 0) return 'working';
    return failed ? 'failed' : 'idle';
  };

  return {
    current: () => queue.find(({ hasEnded }) => !hasEnded)?.turn,
    failed: () => failed,
    ...{ action: action.now, notice, status },
    show: (turn, after = 0) => {
      if (queue.some((followed) => followed.turn.id === turn.id && !followed.hasEnded)) return;
      if (queue.push({ turn, after, hasEnded: false }) === 1) void followAll();
    },
    idle: async () => {
      while (status() === 'working') await action.changed();
    },
  };
}

/** Whether the calls that wait may be others now. Events and answers come by different ways, so the turn is read anew. */
function mayWait(event: TurnEvent): boolean {
  if (event.type === 'round.completed') return event.tool_calls.length > 0;
  return event.type === 'turn.requires_action' || event.type === 'turn.resumed';
}

/** What the turn that is shown waits for; a person is asked about it. An answer that is older than another says nothing. */
function trackAction(around: Around) {
  const waiting: (() => void)[] = [];
  let known: { action: Action | null; lastEvent: number } = { action: null, lastEvent: 0 };
  const set = (action: Action | null, lastEvent: number) => {
    const isOther = callsOf(action).join() !== callsOf(known.action).join();
    known = { action, lastEvent };
    if (isOther) askAboutCalls(action, around);
    for (const resolve of waiting.splice(0)) resolve();
  };
  return {
    now: () => known.action,
    notice: ({ required_action: action, last_event: lastEvent }: Turn) => {
      if (lastEvent >= known.lastEvent) set(action && makeVisible(action), lastEvent);
    },
    clear: () => set(null, 0),
    changed: () => new Promise<void>((resolve) => void waiting.push(resolve)),
  };
}

function callsOf(action: Action | null): string[] {
  return [...(action?.approvals ?? []), { id: '' }, ...(action?.tool_outputs ?? [])].map(({ id }) => id);
}

async function* eventsOf({ turn, after }: Followed, { view, signal }: Around): AsyncGenerator<TurnEvent> {
  const connected = (isBack: boolean) =>
    view.note(isBack ? '… connected again' : '… the server is away; the answer is shown on as soon as it is back');
  for await (const event of turn.events({ after, signal, connected })) yield makeVisible(event);
}

/** Shows what went wrong; the chat goes on. */
export function complain(error: unknown, view: ChatView): void {
  view.say(styleText('red', `✗ ${makeVisible(error instanceof Error ? error.message : String(error))}`));
}

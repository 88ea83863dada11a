import { styleText } from 'node:util';
import type { Turn, TurnEvent, TurnHandle } from '../../client/connect-pawl.ts';
import { makeVisible } from '../make-visible.ts';
import { type Action, askAboutCalls } from './answer-calls.ts';
import type { ChatTerminal } from './chat-terminal.ts';
import type { ChatView } from './chat-view.ts';
import { showAnswer } from './show-answer.ts';

/** The output of a chat. `signal` ends the chat. `failed` shows why a line or an answer failed. */
export type Around = {
  view: ChatView;
  terminal: ChatTerminal;
  signal: AbortSignal;
  failed(error: unknown): void;
};

/** The status of a chat: no turn, a running turn, a turn that waits for an answer, or a failed turn. */
export type ChatStatus = 'idle' | 'working' | 'waiting' | 'failed';

export type FollowedTurns = {
  current(): TurnHandle | undefined;
  /** Returns the last turn, if it failed. */
  failed(): TurnHandle | undefined;
  action(): Action | null;
  /** Reads the required action from an answer of the API. */
  notice(turn: Turn): void;
  status(): ChatStatus;
  /** Shows a turn after the turns before it have ended. Starts after the event numbered `after`. */
  show(turn: TurnHandle, after?: number): void;
  /** Resolves when no turn is running. */
  idle(): Promise<void>;
};

type Followed = { turn: TurnHandle; after: number; hasEnded: boolean };

/** Follows turns until they end, and shows failures. */
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

/** Returns whether the waiting calls may have changed. The caller reads the turn, since answers arrive separately. */
function mayWait(event: TurnEvent): boolean {
  if (event.type === 'round.completed') return event.tool_calls.length > 0;
  return event.type === 'turn.requires_action' || event.type === 'turn.resumed';
}

/** Keeps the action that the shown turn waits for, and asks a person about it. Ignores outdated answers. */
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
    view.note(isBack ? '… connected again' : '… the server is away, the answer continues when it is back');
  for await (const event of turn.events({ after, signal, connected })) yield makeVisible(event);
}

/** Shows an error, and lets the chat continue. */
export function complain(error: unknown, view: ChatView): void {
  view.say(styleText('red', `✗ ${makeVisible(error instanceof Error ? error.message : String(error))}`));
}

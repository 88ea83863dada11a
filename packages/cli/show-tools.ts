import { styleText } from 'node:util';
import type { Turn, TurnEvent } from '../client/connect-pawl.ts';
import { subjectOf } from './calls/subject-of.ts';
import type { Screen } from './screen.ts';

/** Returns the displayed name of a step's worker. */
export type NameWorker = (kind: 'round' | 'batch', round: number) => string;

type Of<Type extends TurnEvent['type']> = Extract<TurnEvent, { type: Type }>;
type Round = Turn['rounds'][number];
type Call = Round['tool_calls'][number];

export type ToolShow = {
  expect(calls: Call[]): void;
  started(event: Of<'tool_call.started'>): void;
  progressed(event: Of<'tool_call.progress'>): void;
  completed(event: Of<'tool_call.completed'>): void;
};

export const NAME_WIDTH = 18;

/**
 * Shows a batch: its worker, its calls, each saved result, and the end. Marks a call that reuses the result of an
 * equal call, since no worker runs it.
 */
export function showTools(screen: Screen, nameWorker: NameWorker): ToolShow {
  let calls: Call[] = [];
  let open = new Set<string>();
  let announcedRound = 0;
  let reusedRound = 0;

  function announce(round: number): void {
    if (announcedRound >= round) return;
    announcedRound = round;
    const what = open.size > 1 ? `${open.size} calls in parallel` : 'the call';
    screen.say(`tools · ${nameWorker('batch', round)} runs ${what}`);
  }
  function announceReuse(round: number): void {
    if (reusedRound >= round) return;
    reusedRound = round;
    screen.say('tools · equal calls reuse their earlier results and do not run');
  }
  const label = (id: string, name: string) =>
    name.padEnd(NAME_WIDTH) + subjectOf(calls.find((call) => call.id === id)?.arguments);

  return {
    expect: (wanted) => {
      calls = wanted;
      open = new Set(wanted.map(({ id }) => id));
    },
    started: ({ round, tool_call_id: id, name, status_text: status }) => {
      announce(round);
      screen.add(`${styleText('dim', '▸')} ${label(id, name)}${styleText('dim', status ?? '')}`);
    },
    progressed: ({ tool_call_id: id, value }) => {
      const name = calls.find((call) => call.id === id)?.name ?? '';
      screen.add(`${styleText('dim', '▸')} ${label(id, name)}${styleText('dim', plain(value))}`);
    },
    completed: ({ round, tool_call_id: id, name, result }) => {
      if (result.cached) announceReuse(round);
      else announce(round);
      const mark = result.status === 'success' ? styleText('green', '✓') : styleText('red', '✗');
      screen.add(`${mark} ${label(id, name)}${outcomeOf(result)}`);
      const wasLast = open.delete(id) && open.size === 0;
      if (wasLast && announcedRound === round) screen.say(styleText('green', `✓ checkpoint b${round}`));
    },
  };
}

function outcomeOf({ error, cached, duration_ms: ms }: Round['results'][number]): string {
  const reused = cached ? styleText('dim', 'reused') : '';
  if (error) return `${styleText('red', error.category)} ${reused}`.trimEnd();
  if (cached) return reused;
  return ms === null ? '' : `${(ms / 1000).toFixed(2)} s`;
}

function plain(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

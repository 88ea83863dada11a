import { styleText } from 'node:util';
import type { Turn } from '../../client/connect-pawl.ts';
import type { Screen } from '../screen.ts';
import { NAME_WIDTH } from '../show-tools.ts';
import { inLine, subjectOf } from './subject-of.ts';
import { type HostedCall, type HostedEvent, trackHosted } from './track-hosted.ts';

export type HostedShow = {
  show(event: HostedEvent): void;
  /** Shows the calls of an ended turn that were not shown live. */
  catchUp(turn: Turn): void;
};

/** Shows the start and the end of each call that the provider runs, once. */
export function showHosted(screen: Screen): HostedShow {
  const { isNew, missed } = trackHosted();
  return {
    show: (event) => {
      if (isNew(event)) screen.add(lineOf(event.hosted_call));
    },
    catchUp: (turn) => {
      const calls = missed(turn);
      if (calls.length > 0) screen.say('calls of the provider');
      for (const call of calls) screen.add(lineOf(call));
    },
  };
}

function lineOf({ type, status, input, error }: HostedCall): string {
  const label = type.padEnd(NAME_WIDTH) + subjectOf(mainOf(input));
  if (status === 'in_progress') return `${styleText('dim', '▸')} ${label}${styleText('dim', 'at the provider')}`;
  if (status === 'failed') return `${styleText('red', '✗')} ${label}${styleText('red', inLine(error ?? ''))}`;
  return `${styleText('green', '✓')} ${label}`.trimEnd();
}

/** The fields of an input that say most about a call, in the names of the providers. */
const MAIN = ['query', 'queries', 'url', 'code', 'command', 'prompt'];

/** Returns the main field of an input, or else the input. */
function mainOf(input: HostedCall['input']): HostedCall['input'] {
  const name = MAIN.find((each) => (input?.[each] ?? null) !== null);
  return name === undefined ? input : { [name]: input?.[name] };
}

import { expect, test } from 'vitest';
import type { History } from '../history.ts';
import { soundHistory } from '../sound-history.ts';
import { checkInvariants } from './check-invariants.ts';

test.each<[string, (history: History['background']) => void, string]>([
  [
    'a round is asked again before its response is dropped',
    ({ committed }) => Object.assign(committed[0]!, { droppedAt: null }),
    'a background round is not asked again while it has a response',
  ],
  [
    'the model keeps a committed response',
    ({ keptIds }) => keptIds.push('resp_1'),
    'background responses are deleted at the model',
  ],
])('a promise about background responses is broken if %s', (_, change, promise) => {
  const history = soundHistory();
  change(history.background);

  const broken = checkInvariants(history, { verdict: 'core' }).filter(({ status }) => status === 'broken');

  expect(broken.map((one) => one.promise)).toEqual([promise]);
});

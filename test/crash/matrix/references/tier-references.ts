import { scripted } from '#test/harness/scripted.ts';
import type { Reference } from './reference.ts';

const error = {
  message: 'Resource unavailable. Try again later.',
  ...{ type: 'resource_unavailable', param: null, code: 'resource_unavailable' },
};
const refused = { kind: 'status' as const, status: 429, body: { error }, service_tier: 'flex' };

/** Turns that leave their service tier. */
export const tierReferences: Reference[] = [
  {
    of: 'a turn whose first round is refused on flex, and answered on default',
    points: /postponeStep|takeLease|r1 #[34]$/,
    start: ({ startTurn }) =>
      startTurn({
        ...{ service_tier: 'flex', tier_fallback: 'default', tools: ['look'] },
        input: scripted({
          rounds: [{ tools: [{ name: 'look', arguments: { url: '' } }], fault: refused }],
          answer: 'At last.',
        }),
      }),
  },
];

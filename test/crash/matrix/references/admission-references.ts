import { scripted } from '#test/harness/scripted.ts';
import type { Scene } from '../lane.ts';
import type { Reference } from './reference.ts';

const busy = { kind: 'status' as const, status: 503, retry_after_ms: 1, times: 1 };

/** Turns of two projects that wait for slots. Each project has one slot. */
export const admissionReferences: Reference[] = [
  {
    of: 'turns that wait for a slot, with one turn that also waits for its next attempt',
    points: /(?:requireSlots|admitTurns)(?: #[1-6])?$|postponeStep|endWithRound/,
    projects: ({ project }) => [project, 'another'],
    env: { PAWL_WORKER_CONCURRENCY: '1' },
    start: startThree,
  },
];

async function startThree({ startTurn, recorder }: Scene): Promise<void> {
  const webhook = { url: `${recorder.url}/hook` };
  await startTurn({ input: scripted({ final: { fault: busy } }), webhook });
  await startTurn({ input: scripted({ answer: 'Second.' }) });
  await startTurn({ input: scripted({ answer: 'Third.' }) });
}

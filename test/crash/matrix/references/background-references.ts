import { sql } from 'kysely';
import type { TurnResource } from '#core/turn/resource/turn.ts';
import { scripted } from '#test/harness/scripted.ts';
import { waitUntil } from '#test/harness/wait-until.ts';
import { IN_BACKGROUND, type Scene } from '../lane.ts';
import type { Reference } from './reference.ts';

const HOUR_MS = 3_600_000;
/** The time for which a response may be queued (`PAWL_BACKGROUND_QUEUED_MS`). */
const QUEUED_MS = 600_000;
const answer = 'All is done.';

/** The script of an answer with a production that does not end before `skip`. */
const unfinished = { answer, piece_chars: 4, final: { background: { pause_after_chars: 8, pause_ms: HOUR_MS } } };

const inBackground: Reference[] = [
  {
    of: 'a turn of two background rounds with a tool, whose responses are deleted',
    start: ({ startTurn }) => {
      const round = { say: 'Let me look.', tools: [{ name: 'look', arguments: { url: '' } }] };
      return startTurn({ tools: ['look'], input: scripted({ piece_chars: 4, pace_ms: 15, rounds: [round], answer }) });
    },
  },
  {
    of: 'a background round that follows the response of another worker',
    // A slow machine may follow the stream in a second job.
    points: /(?:take|acknowledge) run-round r1 #1$|(?:takeLease|r1|response|endWithRound) #1$|chunk of/,
    start: async (scene) => {
      const { id } = await loseAfterCommit(scene, unfinished);
      void skipOnceStreamed(scene, id);
    },
  },
  {
    of: 'a background round that polls the response of another worker',
    start: (scene) => {
      const background = { pause_after_chars: 8, pause_ms: HOUR_MS, stream: false };
      return loseAfterCommit(scene, { answer, piece_chars: 4, final: { background } });
    },
    react: skipOncePolled,
  },
  {
    of: 'a background round whose first response fails',
    start: ({ startTurn }) => {
      const background = { end: 'failed' as const, end_after_chars: 4, times: 1 };
      return startTurn({ input: scripted({ answer, piece_chars: 4, final: { background } }) });
    },
  },
  {
    of: 'a background round whose first response stays queued',
    start: async (scene) => {
      const background = { queued_ms: HOUR_MS, stream: false, times: 1 };
      await loseAfterCommit(scene, { answer, final: { background } });
      await scene.harness.advance(QUEUED_MS);
    },
  },
  {
    of: 'responses of cancelled background turns, of which one has ended',
    points: /close-responses › (?:take\w+ #1$|settle|remove)|(?:cancel|read|delete) response/,
    start: async (scene) => {
      const running = await startUnfinished(scene, unfinished);
      const ended = await startUnfinished(scene, unfinished);
      for (const { id } of [running, ended]) await scene.call('POST', `/v1/turns/${id}/cancel`);
      for (const { id, working } of [running, ended]) {
        scene.harness.worker.heartbeat.stop('cancelled', id);
        await working;
      }
      await skip(scene, ended.id);
    },
  },
];

/** Turns whose rounds are asked in the background. */
export const backgroundReferences: Reference[] = inBackground.map((reference) => ({
  model: IN_BACKGROUND,
  ...reference,
}));

/** Starts a turn and runs its job until the id of the unfinished response is committed. */
async function startUnfinished({ startTurn, harness }: Scene, script: object) {
  const { id } = await startTurn({ input: scripted(script) });
  const working = harness.workOnce();
  await waitUntil(async () => {
    const rows = sql`select from background_responses where turn_id = ${id}`;
    return (await rows.execute(harness.db)).rows.length > 0;
  });
  return { id, working };
}

/** Starts a turn whose worker is lost after the commit of a response. The next job finds the response. */
async function loseAfterCommit(scene: Scene, script: object): Promise<{ id: string }> {
  const { harness } = scene;
  const { id, working } = await startUnfinished(scene, script);
  harness.worker.heartbeat.stop('lost', id);
  await working;
  await harness.advance(60_000);
  await harness.rescue();
  return { id };
}

/** Ends the pauses of the responses of a turn. */
async function skip({ harness }: Scene, turnId: string): Promise<void> {
  const { keptResponses: kept } = harness;
  const ids = kept.list().flatMap(({ id, createdBy }) => (createdBy?.startsWith(`${turnId}.`) ? [id] : []));
  for (const id of ids) kept.skipDelay(id);
  await waitUntil(() => kept.list().every(({ id, status }) => !ids.includes(id) || status === 'completed'));
}

/** Ends the pause of a response once a worker follows its stream. */
async function skipOnceStreamed(scene: Scene, turnId: string): Promise<void> {
  const isStreamed = () =>
    scene.harness.responseRequests.some(({ kind, createdBy }) => kind === 'stream' && createdBy?.startsWith(turnId));
  await waitUntil(isStreamed);
  await skip(scene, turnId);
}

/** Ends the pause of a response once its round has polled it. */
async function skipOncePolled(scene: Scene, { id, waiting }: TurnResource): Promise<boolean> {
  if (waiting?.for !== 'provider') return false;
  await skip(scene, id);
  return true;
}

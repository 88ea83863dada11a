import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { TurnResource } from '#core/turn/resource/turn.ts';
import { describeQueue } from '#test/harness/queues.ts';
import { listReleases } from './release.ts';
import { listMigrationsAfter } from './released-migrations.ts';
import { repeatedRequest } from './scenes/fill-ended.ts';
import { played, post } from './scenes/filling.ts';
import { countRows, type Upgraded, upgrade } from './upgrade.ts';
import { useEndedTurn } from './use-ended-turn.ts';

const endsOf = ({ outcome }: Upgraded, scene: string) =>
  outcome.ends[scene]?.map(({ status, output, rounds }) => ({
    ...{ status, output },
    results: rounds.flatMap(({ results }) => results),
  }));

describeQueue(({ redis }) => {
  describe.each(listReleases())('a database that release %s left', (version) => {
    const opened = new AsyncDisposableStack();
    let upgraded: Upgraded;
    beforeAll(async () => {
      upgraded = await upgrade({ version, redis, opened });
    });
    afterAll(() => opened.disposeAsync());

    test('the upgrade applies each migration after that release, and no other', () => {
      expect(upgraded.applied).toEqual(listMigrationsAfter(version));
    });

    test('reads about ended turns and other resources are the same after the upgrade', () => {
      const { before, recorded } = upgraded;

      expect(before.lasting).toMatchObject(recorded.lasting);
      expect(before.passing).toMatchObject(recorded.passing);
    });

    test('deleted turns stay deleted', () => {
      const { before, recorded } = upgraded;

      expect(before.refused).toEqual(recorded.refused);
      expect(new Set(before.refused.map(({ status }) => status))).toEqual(new Set([404]));
    });

    test('reads about ended turns are the same after all other turns have ended', () => {
      expect(upgraded.after).toMatchObject(upgraded.recorded.lasting);
    });

    test('every turn that was open ends as it would have ended in the release', () => {
      expect(upgraded.outcome.ends).toEqual(upgraded.recorded.outcome.ends);
    });

    test('no turn is lost, and the schedule adds a single turn', async () => {
      const { installation, outcome, turns, recorded } = upgraded;

      expect(outcome.turns).toBe(turns + 1);
      expect(outcome.turns).toBe(recorded.outcome.turns);
      expect(outcome.ends.scheduled).toHaveLength(2);
      expect(await countRows(installation, 'work')).toBe(0);
    });

    test('each background response of the release is deleted at its provider', async () => {
      expect(await countRows(upgraded.installation, 'background_responses')).toBe(0);
    });

    test('no committed round is asked again', () => {
      const { asked } = upgraded.outcome;

      expect(asked).toEqual(upgraded.recorded.outcome.asked);
      for (const scene of [
        'asked',
        'repairing',
        'half_done',
        'claimed',
        'approved',
        'waits_for_output',
        'waits_for_approval',
      ])
        expect.soft(asked[scene], scene).toEqual(['2']);
      for (const scene of [
        'streaming',
        'queued',
        'behind',
        'delayed',
        'debounced',
        'retrying',
        'rate_limited',
        'has_room',
        'wants_room',
      ])
        expect.soft(asked[scene], scene).toEqual(['1']);
    });

    test('no finished call runs again, and an idempotent call is repeated with its key', () => {
      const { surroundings, outcome, recorded } = upgraded;
      const repeated = surroundings.tools.calls.filter(({ mark }) => mark === 'half_done');

      expect(outcome.calls).toEqual(['pay adopted', 'pay approved', 'pay waits_for_approval', 'slow half_done']);
      expect(repeated.map(({ key }) => key)).toEqual(recorded.keys.half_done);
      expect(recorded.keys.half_done).toHaveLength(1);
    });

    test('a claimed at_most_once call of a dead worker never runs again', () => {
      const { surroundings } = upgraded;
      const [end] = endsOf(upgraded, 'claimed') ?? [];

      expect(surroundings.tools.calls.filter(({ mark }) => mark === 'claimed')).toEqual([]);
      expect(end?.status).toBe('completed');
      expect(end?.results).toMatchObject([/^success: /, 'outcome_unknown: null'].map(expectText));
    });

    test('outputs and approvals that clients post after the upgrade are accepted', () => {
      expect(endsOf(upgraded, 'waits_for_output')).toMatchObject([{ status: 'completed', output: 'They said yes' }]);
      expect(endsOf(upgraded, 'waits_for_approval')).toMatchObject([
        { results: ['success: {"done":"waits_for_approval"}'] },
      ]);
      expect(endsOf(upgraded, 'denied')).toMatchObject([{ status: 'completed', results: ['permission_denied: null'] }]);
    });

    test('each pending delivery is sent once, with the signature of its receiver', async () => {
      const { surroundings, outcome, installation } = upgraded;
      const ids = surroundings.receiver.received.map(({ id }) => id);
      const pending = await sql`select from deliveries where status = 'pending'`.execute(installation.harness.db);

      expect(outcome.webhooks).toEqual([...Array(4).fill('bulk turn.cancelled 204'), 'undelivered turn.completed 204']);
      expect(new Set(ids).size).toBe(ids.length);
      expect(surroundings.receiver.received.every(({ signature }) => signature === 'right')).toBe(true);
      expect(pending.rows).toEqual([]);
    });

    test('a bulk that was half done cancels its other turns', () => {
      expect(upgraded.outcome.bulks).toEqual([{ action: 'cancel', matched: 4, done: 4, failed: 0, left: 0 }]);
      expect(endsOf(upgraded, 'bulk')?.map(({ status }) => status)).toEqual(Array(4).fill('cancelled'));
    });

    test('an idempotency key of the release still answers with its turn', async () => {
      const { installation, recorded } = upgraded;
      const body = { model: 'openai/test', ...repeatedRequest };
      const headers = { 'idempotency-key': 'upgrade-1' };
      const known = recorded.lasting.map((reading) => reading.body as TurnResource);
      const turn = known.find(({ object, metadata }) => object === 'turn' && metadata.scene === 'idempotent');

      const again = await installation.main.call('POST', '/v1/turns', { body, headers });

      expect([again.status, again.headers.get('idempotency-replayed')]).toEqual([202, 'true']);
      expect(again.body).toMatchObject({ ...turn });
    });

    test('a failed turn of the release is retried and completes', async () => {
      const { turn, events, asked, drafts } = await useEndedTurn(upgraded.installation, {
        scene: 'failed',
        action: 'retry',
      });

      expect([turn.status, turn.output, turn.error]).toEqual(['completed', 'The key is right now.', null]);
      expect(events.slice(-4)).toEqual(['turn.failed', 'turn.resumed', 'round.completed', 'turn.completed']);
      expect(asked).toEqual({ '1.1': ['user'] });
      expect(drafts).toEqual([2]);
    });

    test('a fork of a turn of the release omits an input that joined after its round', async () => {
      const { turn, asked } = await useEndedTurn(upgraded.installation, {
        scene: 'joined_midway',
        action: 'fork',
        body: { after_round: 1, metadata: {} },
      });

      expect([turn.status, turn.output]).toEqual(['completed', 'The first input.']);
      expect(asked).toEqual({ '1.0': ['user', 'user', 'assistant', 'tool'] });
    });

    test('a rerun of a turn of the release has all its joined inputs', async () => {
      const { turn, asked } = await useEndedTurn(upgraded.installation, {
        scene: 'joined_midway',
        action: 'rerun',
        body: { metadata: {} },
      });

      expect([turn.status, turn.output]).toEqual(['completed', 'All inputs.']);
      expect(asked).toEqual({ '1.0': ['user', 'user', 'user'] });
    });

    test('a new response continues a response of the release with its history', async () => {
      const { installation, recorded } = upgraded;
      const { harness, main } = installation;
      const answers = recorded.lasting.map(({ body }) => body as { id: string; object: string; metadata?: object });
      const last = answers.find((body) => body.object === 'response' && isOf(body.metadata, 'last_response'));
      const next = { model: 'test', background: true, ...played('after', { answer: 'Still here.' }) };

      await post({ main }, '/v1/responses', { ...next, previous_response_id: last?.id });
      await harness.workUntilIdle();

      const roles = harness.modelRequests.at(-1)?.body.messages.map(({ role }) => role);
      expect(roles).toEqual(['user', 'assistant', 'user', 'assistant', 'user', 'assistant', 'user']);
    });
  });
});

function isOf(metadata: object | undefined, scene: string): boolean {
  return metadata !== undefined && 'scene' in metadata && metadata.scene === scene;
}

function expectText(text: string | RegExp): unknown {
  return typeof text === 'string' ? text : expect.stringMatching(text);
}

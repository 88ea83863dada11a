import { expect } from 'vitest';
import type { JobHandler } from '#core/queue/job-queue.ts';
import { describeQueue } from '#test/harness/queues.ts';
import { scripted } from '#test/harness/scripted.ts';
import { testWith } from '#test/harness/test.ts';

const weather = { name: 'weather_lookup', arguments: { city: 'Tokyo' } };
const postcard = { name: 'send_postcard', arguments: { city: 'Kyoto' } };
const twoRounds = scripted({
  rounds: [
    { say: 'Let me check…', tools: [weather, postcard] },
    { say: 'And Osaka.', tools: [{ ...weather, arguments: { city: 'Osaka' } }] },
  ],
  answer: 'Sunny everywhere: {{results}}',
});
const tools = ['weather_lookup', 'send_postcard', 'note_visit'];

describeQueue(({ redis }) => {
  const test = testWith({ redis });

  test('a turn runs round by round to its answer', async ({ harness }) => {
    const { id, status } = await harness.startTurn({ input: twoRounds, tools });
    await harness.workUntilIdle();
    const turn = await harness.findTurn(id);

    expect(status).toBe('queued');
    expect(turn).toMatchObject({ status: 'completed', round: 3, phase: null });
    expect(turn.output).toContain('Sunny everywhere');
    expect(turn.rounds.map((round) => round.assistant_response)).toEqual(['Let me check…', 'And Osaka.', null]);
    expect(turn.rounds[0]?.results.map((result) => result.content)).toEqual([
      '{"city":"Tokyo","temp":22,"condition":"sunny"}',
      'sent to Kyoto',
    ]);
    expect(harness.modelRequests).toHaveLength(3);
  });

  test('each round and each tool batch is its own job', async ({ harness }) => {
    await harness.startTurn({ input: twoRounds, tools });
    const jobs: string[] = [];
    const noting: JobHandler = async (job) => {
      jobs.push(job.name);
      await harness.handle(job);
    };
    while (await harness.workOnce(noting));

    expect(jobs).toEqual(['run-round', 'run-tool-batch', 'run-round', 'run-tool-batch', 'run-round']);
  });

  test('a job delivered twice calls the model once and runs each tool once', async ({ harness }) => {
    const { id } = await harness.startTurn({ input: twoRounds, tools });
    await harness.workUntilIdle({ deliveries: 3 });
    const turn = await harness.findTurn(id);

    expect(harness.modelRequests).toHaveLength(3);
    expect(turn.status).toBe('completed');
    expect(turn.rounds.flatMap((round) => round.results.map((result) => result.attempts))).toEqual([1, 1, 1]);
  });

  test('a turn that lost its job is enqueued again and finishes', async ({ harness }) => {
    const { id } = await harness.startTurn({ input: twoRounds, tools });
    await harness.workOnce(async () => {});

    expect(await harness.workOnce()).toBe(false);
    await harness.advance(5_001);
    expect(await harness.rescue()).toBe(1);
    await harness.workUntilIdle();

    expect((await harness.findTurn(id)).status).toBe('completed');
  });

  test('the queue is empty when all turns have ended', async ({ harness }) => {
    await harness.startTurn({ input: twoRounds, tools });

    await harness.workUntilIdle();

    const counts = await harness.parts.jobQueue.count(['turns-openai', 'anytime', 'deliveries']);
    expect(Object.values(counts).reduce((sum, count) => sum + count, 0)).toBe(0);
  });
});

import { expect, test } from 'vitest';
import type { JobHandler } from '#core/queue/bell.ts';
import { createWorld } from '#test/world/create-world.ts';
import { describeQueues } from '#test/world/queues.ts';
import { scripted } from '#test/world/scripted.ts';

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

describeQueues(({ redis }) => {
  test('a turn runs round by round to its answer', async () => {
    await using world = await createWorld({ redis });

    const { id, status } = await world.startTurn({ input: twoRounds, tools });
    await world.workUntilIdle();
    const turn = await world.findTurn(id);

    expect(status).toBe('queued');
    expect(turn).toMatchObject({ status: 'completed', round: 3, phase: null });
    expect(turn.output).toContain('Sunny everywhere');
    expect(turn.rounds.map((round) => round.assistant_response)).toEqual(['Let me check…', 'And Osaka.', null]);
    expect(turn.rounds[0]?.results.map((result) => result.content)).toEqual([
      '{"city":"Tokyo","temp":22,"condition":"sunny"}',
      'sent to Kyoto',
    ]);
    expect(world.asked).toHaveLength(3);
  });

  test('every round and every tool batch is a job of its own', async () => {
    await using world = await createWorld({ redis });

    await world.startTurn({ input: twoRounds, tools });
    const jobs: string[] = [];
    const noting: JobHandler = async (job) => {
      jobs.push(job.name);
      await world.handle(job);
    };
    while (await world.workOnce(noting));

    expect(jobs).toEqual(['run-round', 'run-tool-batch', 'run-round', 'run-tool-batch', 'run-round']);
  });

  test('a job delivered twice asks the model once and runs each tool once', async () => {
    await using world = await createWorld({ redis });

    const { id } = await world.startTurn({ input: twoRounds, tools });
    await world.workUntilIdle({ deliveries: 3 });
    const turn = await world.findTurn(id);

    expect(world.asked).toHaveLength(3);
    expect(turn.status).toBe('completed');
    expect(turn.rounds.flatMap((round) => round.results.map((result) => result.attempts))).toEqual([1, 1, 1]);
  });

  test('a turn whose job was lost is rung again and finishes', async () => {
    await using world = await createWorld({ redis });
    const { id } = await world.startTurn({ input: twoRounds, tools });
    await world.workOnce(async () => {});

    expect(await world.workOnce()).toBe(false);
    await world.advance(5_001);
    expect(await world.rescue()).toBe(1);
    await world.workUntilIdle();

    expect((await world.findTurn(id)).status).toBe('completed');
  });

  test('nothing is left in the queue when all turns have ended', async () => {
    await using world = await createWorld({ redis });
    await world.startTurn({ input: twoRounds, tools });

    await world.workUntilIdle();

    const counts = await world.parts.bell.count(['turns-openai', 'anytime', 'deliveries']);
    expect(Object.values(counts).reduce((sum, count) => sum + count, 0)).toBe(0);
  });
});

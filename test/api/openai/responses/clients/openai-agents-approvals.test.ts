import { Agent, hostedMcpTool, RunState } from '@openai/agents';
import { expect, test } from 'vitest';
import { createHarness, type Harness, startBackgroundWorker } from '#test/harness/create-harness.ts';
import { describeQueue } from '#test/harness/queues.ts';
import { scripted } from '#test/harness/scripted.ts';
import { agentsRunner } from './agents-runner.ts';

const ASKING = { serverLabel: 'pawl', serverUrl: '', requireApproval: 'always' } as const;
const script = scripted({
  rounds: [{ say: 'Let me see.', tools: [{ name: 'weather_lookup', arguments: { city: 'Rome' } }] }],
  answer: 'It says: {{results}}',
});
const allowed = 'It says: {"city":"Rome","temp":22,"condition":"sunny"}';

/** Returns the results in the last request to the model. */
const received = ({ modelRequests }: Harness) =>
  modelRequests.at(-1)!.body.messages.flatMap(({ role, content }) => (role === 'tool' ? [content] : []));

describeQueue(({ redis }) => {
  test('a run of an agent waits for an approval, and continues from its saved state', async () => {
    await using harness = await createHarness({ redis });
    await using _worker = await startBackgroundWorker(harness);
    const runner = agentsRunner(harness);
    const agent = new Agent({ name: 'Guide', tools: [hostedMcpTool(ASKING)] });
    const decide = async (decision: 'approve' | 'reject') => {
      const waiting = await runner.run(agent, script);
      expect(waiting.interruptions).toHaveLength(1);
      expect(harness.modelRequests.at(-1)!.body.messages.at(-1)?.role).toBe('user');
      const state = await RunState.fromString(agent, waiting.state.toString());
      const [request] = state.getInterruptions();
      if (decision === 'approve') state.approve(request!);
      else state.reject(request!, { message: 'Too dear.' });
      return runner.run(agent, state);
    };

    const run = await decide('approve');
    expect(run.finalOutput).toBe(allowed);
    expect(received(harness)).toHaveLength(1);
    expect((await decide('reject')).finalOutput).not.toContain('sunny');
  });

  test('an agent with its own approval function is called once for each tool call', async () => {
    await using harness = await createHarness({ redis });
    await using _worker = await startBackgroundWorker(harness);
    const asked: (string | undefined)[] = [];
    const onApproval = async (_: unknown, { name }: { name?: string | undefined }) => {
      asked.push(name);
      return { approve: true };
    };
    const agent = new Agent({ name: 'Guide', tools: [hostedMcpTool({ ...ASKING, onApproval })] });

    const ran = await agentsRunner(harness).run(agent, script);

    expect(asked).toEqual(['weather_lookup']);
    expect(ran.finalOutput).toBe(allowed);
  });
});

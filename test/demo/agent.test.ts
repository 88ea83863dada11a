import { expect } from 'vitest';
import { test } from '#test/harness/test.ts';
import { openaiClient } from '../api/openai/responses/openai-client.ts';
import { runScript } from './run-script.ts';

test('the example of agents runs tools, hands over, and ends with stored responses', async ({ harness, worker: _ }) => {
  const { output, complaints, exitCode } = await runScript(['examples/agent.ts'], {
    ...{ PAWL_URL: harness.url, PAWL_MODEL: 'openai/desk' },
  });

  const [ids = ''] = /(?<=^\[).*(?=\]$)/m.exec(output) ?? [];
  const stored = await Promise.all(ids.split(' ').map((id) => openaiClient(harness).responses.retrieve(id)));
  expect(complaints).toBe('');
  expect(output.split('\n').slice(0, 4)).toEqual([
    'Desk calls find_invoice {"customer":"Ada"}',
    'Desk calls transfer_to_Cashier {}',
    'Cashier calls refund {"invoice":"R-7"}',
    'Cashier says: The 42 € of R-7 are on their way back to Ada.',
  ]);
  expect(stored.map(({ instructions }) => instructions?.slice(0, 6))).toEqual(['Find t', 'Find t', 'Refund', 'Refund']);
  expect(exitCode).toBe(0);
});

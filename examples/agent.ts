// Agents of OpenAI's Agents SDK on Pawl: two tools that run here, and a handoff from one agent to another.
//   npm start
//   npx node examples/agent.ts
// With a real model:
//   PAWL_MODEL=openai/gpt-4.1 npx node examples/agent.ts "Refund the last invoice of Ada."
// Each reply of the model is stored as a response, as durable as any turn. http://127.0.0.1:8080 shows all replies.
import { Agent, OpenAIProvider, Runner, tool } from '@openai/agents';
import OpenAI from 'openai';
import { z } from 'zod';

const { PAWL_URL = 'http://127.0.0.1:8080', PAWL_API_KEY = 'none', PAWL_MODEL = 'sim/desk' } = process.env;

const findInvoice = tool({
  name: 'find_invoice',
  description: 'Finds the last invoice of a customer',
  parameters: z.object({ customer: z.string() }),
  execute: async ({ customer }) => ({ invoice: 'R-7', customer, euros: 42 }),
});
const refund = tool({
  name: 'refund',
  description: 'Pays an invoice back',
  parameters: z.object({ invoice: z.string() }),
  execute: async ({ invoice }) => `${invoice} is paid back.`,
});

const cashier = new Agent({ name: 'Cashier', instructions: 'Refund the invoice, and say so.', tools: [refund] });
const desk = Agent.create({
  name: 'Desk',
  instructions: 'Find the invoice. Leave refunds to the cashier.',
  tools: [findInvoice],
  handoffs: [cashier],
});

// The script of the simulated model (docs/simulator.md): one call in each of three replies, then the answer.
const rounds = [
  { tools: [{ name: 'find_invoice', arguments: { customer: 'Ada' } }] },
  { tools: [{ name: 'transfer_to_Cashier', arguments: {} }] },
  { tools: [{ name: 'refund', arguments: { invoice: 'R-7' } }] },
];
const script = JSON.stringify({ sim: { rounds, answer: 'The 42 € of R-7 are on their way back to Ada.' } });

const client = new OpenAI({ baseURL: `${PAWL_URL}/v1`, apiKey: PAWL_API_KEY });
const modelProvider = new OpenAIProvider({ openAIClient: client, useResponses: true });
// With tracing, the SDK sends traces to OpenAI.
const runner = new Runner({ modelProvider, model: PAWL_MODEL, tracingDisabled: true });

const run = await runner.run(desk, process.argv[2] ?? script);
for (const item of run.newItems) {
  if (item.type === 'tool_call_item' || item.type === 'handoff_call_item') {
    const { rawItem } = item;
    if (rawItem.type === 'function_call') console.log(`${item.agent.name} calls ${rawItem.name} ${rawItem.arguments}`);
  }
}
console.log(`${run.lastAgent?.name} says: ${run.finalOutput}`);
console.log(`[${run.rawResponses.map(({ responseId }) => responseId).join(' ')}]`);

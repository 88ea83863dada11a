import { OpenAIProvider, Runner } from '@openai/agents';
import type { Harness } from '#test/harness/create-harness.ts';
import { openaiClient } from '../openai-client.ts';

/** Returns a runner of OpenAI's Agents SDK with models of Pawl. Tracing is off because it would post to OpenAI. */
export function agentsRunner(harness: Pick<Harness, 'url'>): Runner {
  const modelProvider = new OpenAIProvider({ openAIClient: openaiClient(harness), useResponses: true });
  return new Runner({ modelProvider, model: 'gpt-4o', tracingDisabled: true });
}

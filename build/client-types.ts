import { writeFileSync } from 'node:fs';
import { readDocument } from './read-document.ts';
import { printTypes, type Schema } from './schema-types.ts';

/** The schemas that the client names. The build adds the schemas that they use. */
const NAMES = [
  ...['Turn', 'ListedTurn', 'TurnRequest', 'ForkRequest', 'RerunRequest', 'StreamedEvent'],
  ...['Conversation', 'ConversationRequest', 'ConversationChanges', 'CompactMessage', 'ToolOutput'],
  ...['Schedule', 'ScheduleRequest', 'ScheduleChange', 'Bulk', 'BulkRequest'],
  ...['Agent', 'AgentRequest', 'AgentChanges', 'LabelRequest'],
  ...['Batch', 'WaitingRounds'],
  ...['Usage', 'Worker', 'Queue', 'Statistics', 'Chain', 'Delivery', 'LedgerRound', 'Response'],
  ...['TurnWebhook', 'RoundWebhook', 'ResponseWebhook', 'DisabledWebhook', 'TestWebhook'],
];

/** Writes the types of the client from the OpenAPI document. */
export async function writeClientTypes(): Promise<void> {
  const { components } = await readDocument<{ components: { schemas: Record<string, Schema> } }>();
  const head = '// The build writes this file from /openapi.json. Change the schemas of the API instead.';
  const file = new URL('../packages/client/generated.ts', import.meta.url);
  writeFileSync(file, `${head}\n\n${printTypes(components.schemas, NAMES)}\n`);
}

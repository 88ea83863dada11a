import type { BulkRequest, UsageQuery } from '../../client/connect-pawl.ts';
import { CommandMisused, parseArguments, readPairs } from '../parse-arguments.ts';

const TEXT = { type: 'string' } as const;
const TEXTS = { type: 'string', multiple: true } as const;
const FLAG = { type: 'boolean' } as const;
const ACTIONS = ['cancel', 'retry', 'delete'] as const;
const GROUPS = ['day', 'project', 'model', 'key'] as const;

/** What `pawl usage` asks for. */
export type UsageCommand = { query: UsageQuery; isJson: boolean };

/** Reads what `pawl bulk` does, and with which turns. Throws CommandMisused. */
export function readBulk(args: string[]): { request: BulkRequest; isDryRun: boolean; isJson: boolean } {
  const texts = { status: TEXT, model: TEXT, conversation: TEXT, error: TEXT, after: TEXT, before: TEXT, q: TEXT };
  const flags = { 'dry-run': FLAG, json: FLAG };
  const { values, positionals } = parseArguments(args, { ...texts, metadata: TEXTS, ...flags });
  const action = ACTIONS.find((known) => known === positionals[0]);
  if (!action || positionals.length > 1) throw new CommandMisused('Say what to do: pawl bulk cancel|retry|delete.');
  const { status, model, conversation, error, after, before, q, metadata } = values;
  const filter = {
    ...(status !== undefined && { status }),
    ...(model !== undefined && { model }),
    ...(conversation !== undefined && { conversation_id: conversation }),
    ...(error !== undefined && { error_code: error }),
    ...(after !== undefined && { created_after: after }),
    ...(before !== undefined && { created_before: before }),
    ...(q !== undefined && { q }),
    ...(metadata && { metadata: readPairs(metadata) }),
  };
  if (Object.keys(filter).length === 0) throw new CommandMisused('Say which turns, for example with --status queued.');
  return { request: { action, filter }, isDryRun: values['dry-run'] === true, isJson: values.json === true };
}

/** Reads what `pawl usage` asks for. Throws CommandMisused. */
export function readUsage(args: string[]): UsageCommand {
  const { values, positionals } = parseArguments(args, { from: TEXT, to: TEXT, by: TEXT, json: FLAG });
  if (positionals.length > 0) throw new CommandMisused(`“usage” takes no “${positionals[0]}”.`);
  const groupBy = values.by?.split(',').map(readGroup);
  return { query: { from: values.from, to: values.to, groupBy }, isJson: values.json === true };
}

function readGroup(text: string): (typeof GROUPS)[number] {
  const group = GROUPS.find((known) => known === text.trim());
  if (!group) throw new CommandMisused(`Usage cannot be told by “${text}”: give some of ${GROUPS.join(',')}.`);
  return group;
}

import { z } from 'zod';
import type { SearchedFor } from '#core/checkpoint/search/search-query.ts';
import type { CreatedBetween, TurnFilter as StoredFilter } from '#core/checkpoint/search/turn-filter.ts';
import { cleanText } from '#core/text.ts';
import { moment } from '#core/turn/request/moment.ts';
import { ConversationId } from '../../schemas/fields/id.ts';
import { TurnStatus } from './turn.ts';

/** Reads a time as a caller writes it. In a query, an unescaped `+` arrives as a space. */
const Moment = z
  .string()
  .transform((text) => text.replace(' ', '+'))
  .pipe(moment)
  .meta({ type: 'string', format: 'date-time', examples: ['2026-11-20T10:00:00Z'] });

const statuses = TurnStatus.options;

const oneStatus = `(${statuses.join('|')})`;

/** Reads statuses, separated by commas. */
const Statuses = z
  .string()
  .regex(new RegExp(`^${oneStatus}(,${oneStatus})*$`), `give one or more of ${statuses.join(', ')}, comma-separated`)
  .transform((text) => statuses.filter((status) => text.split(',').includes(status)))
  .meta({ examples: ['failed,cancelled'] });

const Model = z
  .string()
  .min(1, 'give the name of a model')
  .describe('Only turns that requested this model, as `provider/model`.');

const Words = z
  .string()
  .min(1, 'give at least one word')
  .max(1_000)
  .describe(
    'Only turns that contain all of these words in their input or output. Upper and lower case are equal. `"two words"` matches adjacent words, and `-word` excludes a word.',
  );

const Metadata = z
  .record(z.string().min(1).max(64), z.string().max(512))
  .describe('Only turns with each of these pairs in their metadata.');

/** Filters by time of creation. */
const createdFields = {
  created_after: Moment.optional().describe('Only turns created at this time or later.'),
  created_before: Moment.optional().describe('Only turns created before this time.'),
};

/** Search fields of both turns and conversations. */
export const searchFields = { model: Model.optional(), ...createdFields, q: Words.optional() };

/** The name of an agent, alone or with a version. A label names other versions over time, so it finds no turns. */
const AGENT_FILTER = /^[a-z][a-z0-9_-]{0,63}(@[1-9][0-9]{0,8})?$/;

/** The filter for turns without metadata: the parameters of `GET /v1/turns`. */
export const turnFilterFields = {
  status: Statuses.optional().describe('Only turns with one of these statuses, separated by commas.'),
  conversation_id: ConversationId.optional().describe('Only turns of this conversation.'),
  agent: z
    .string()
    .regex(AGENT_FILTER, 'give the name of an agent, alone or with @ and a version')
    .optional()
    .describe('Only turns that ran with this agent (`support`) or version of an agent (`support@7`).'),
  error_code: z.string().min(1).max(100).optional().describe('Only turns that failed with this `error.code`.'),
  ...searchFields,
};

/** The same filter as an object of a body, with `metadata` as an object. */
export const TurnFilter = z.strictObject({ ...turnFilterFields, metadata: Metadata.optional() }).meta({
  id: 'TurnFilter',
  description: 'A filter for turns. Its conditions are combined with AND, as in `GET /v1/turns`.',
  examples: [{ status: 'failed', error_code: 'provider_overloaded', metadata: { customer: '17' } }],
});
export type TurnFilter = z.output<typeof TurnFilter>;

/** Returns the filter in the form of the database query. */
export function storedFilter(given: TurnFilter): StoredFilter {
  const { status, conversation_id: conversationId, error_code: errorCode, agent } = given;
  return {
    ...(status && { statuses: status }),
    ...(conversationId !== undefined && { conversationId }),
    ...(agent !== undefined && { agent }),
    ...(errorCode !== undefined && { errorCode: cleanText(errorCode) }),
    ...searchedFor(given),
    ...createdBetween(given),
  };
}

/** Returns the search words as texts that the database can hold. */
export function searchedFor({ model, q, metadata }: Pick<TurnFilter, 'model' | 'q' | 'metadata'>): SearchedFor {
  const pairs = Object.entries(metadata ?? {}).map(([key, value]) => [cleanText(key), cleanText(value)]);
  return {
    ...(model !== undefined && { model: cleanText(model) }),
    ...(metadata && { metadata: Object.fromEntries(pairs) }),
    ...(q !== undefined && { q: cleanText(q) }),
  };
}

/** Returns the time range of a filter. */
export function createdBetween({
  created_after: createdAfter,
  created_before: createdBefore,
}: Pick<TurnFilter, 'created_after' | 'created_before'>): CreatedBetween {
  return { ...(createdAfter !== undefined && { createdAfter }), ...(createdBefore !== undefined && { createdBefore }) };
}

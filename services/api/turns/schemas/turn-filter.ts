import { z } from 'zod';
import type { SearchedFor } from '#core/checkpoint/search/search-query.ts';
import type { CreatedBetween, TurnFilter as StoredFilter } from '#core/checkpoint/search/turn-filter.ts';
import { cleanText } from '#core/text.ts';
import { moment } from '#core/turn/request/moment.ts';
import { ConversationId } from '../../schemas/fields/id.ts';
import { TurnStatus } from './turn.ts';

/** A moment as a caller writes it. In a query a `+` that was not escaped came as a space. */
const Moment = z
  .string()
  .transform((text) => text.replace(' ', '+'))
  .pipe(moment)
  .meta({ type: 'string', format: 'date-time', examples: ['2026-11-20T10:00:00Z'] });

const statuses = TurnStatus.options;

const oneStatus = `(${statuses.join('|')})`;

/** One status or several, comma-separated. */
const Statuses = z
  .string()
  .regex(new RegExp(`^${oneStatus}(,${oneStatus})*$`), `give one or more of ${statuses.join(', ')}, comma-separated`)
  .transform((text) => statuses.filter((status) => text.split(',').includes(status)))
  .meta({ examples: ['failed,cancelled'] });

const Model = z.string().min(1, 'give a model').describe('Only those that asked for this model, as `provider/model`.');

const Words = z
  .string()
  .min(1, 'give some words')
  .max(1_000)
  .describe(
    'Only those with all of these words in their input or their output, in any case. `"two words"` stand side by side, `-word` is not there.',
  );

const Metadata = z
  .record(z.string().min(1).max(64), z.string().max(512))
  .describe('Only those with each of these pairs in their metadata.');

/** When what is listed was created. */
const createdFields = {
  created_after: Moment.optional().describe('Only those created at this time or later.'),
  created_before: Moment.optional().describe('Only those created before this time.'),
};

/** What lists of turns and of conversations can be searched by alike. */
export const searchFields = { model: Model.optional(), ...createdFields, q: Words.optional() };

/** Which turns are meant, but for their metadata: the parameters of `GET /v1/turns`. */
export const turnFilterFields = {
  status: Statuses.optional().describe('Only those of this status, or of one of several, comma-separated.'),
  conversation_id: ConversationId.optional().describe('Only those of this conversation.'),
  error_code: z.string().min(1).max(100).optional().describe('Only those that failed with this `error.code`.'),
  ...searchFields,
};

/** The same as an object of a body, with `metadata` as an object. */
export const TurnFilter = z.strictObject({ ...turnFilterFields, metadata: Metadata.optional() }).meta({
  id: 'TurnFilter',
  description: 'Which turns are meant: all that is given has to hold, as in `GET /v1/turns`.',
  examples: [{ status: 'failed', error_code: 'provider_overloaded', metadata: { customer: '17' } }],
});
export type TurnFilter = z.output<typeof TurnFilter>;

/** The filter as the database is asked by it. */
export function storedFilter(given: TurnFilter): StoredFilter {
  const { status, conversation_id: conversationId, error_code: errorCode } = given;
  return {
    ...(status && { statuses: status }),
    ...(conversationId !== undefined && { conversationId }),
    ...(errorCode !== undefined && { errorCode: cleanText(errorCode) }),
    ...searchedFor(given),
    ...createdBetween(given),
  };
}

/** What entries are searched for, as texts that the database can hold. */
export function searchedFor({ model, q, metadata }: Pick<TurnFilter, 'model' | 'q' | 'metadata'>): SearchedFor {
  const pairs = Object.entries(metadata ?? {}).map(([key, value]) => [cleanText(key), cleanText(value)]);
  return {
    ...(model !== undefined && { model: cleanText(model) }),
    ...(metadata && { metadata: Object.fromEntries(pairs) }),
    ...(q !== undefined && { q: cleanText(q) }),
  };
}

/** The range of a filter. */
export function createdBetween({
  created_after: createdAfter,
  created_before: createdBefore,
}: Pick<TurnFilter, 'created_after' | 'created_before'>): CreatedBetween {
  return { ...(createdAfter !== undefined && { createdAfter }), ...(createdBefore !== undefined && { createdBefore }) };
}

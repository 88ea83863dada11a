import type OpenAI from 'openai';
import { z } from 'zod';
import { itemId, taken } from './taken.ts';

type Items = OpenAI.Responses.ResponseOutputItem;
type ItemOf<Type extends Items['type']> = Extract<Items, { type: Type }>;

const status = z.enum(['in_progress', 'completed', 'failed']);
const queries = z.array(z.string());

const UrlCitation = taken<OpenAI.Responses.ResponseOutputText.URLCitation>()(
  z.strictObject({
    ...{ type: z.literal('url_citation'), url: z.string(), title: z.string() },
    ...{ start_index: z.int().min(0), end_index: z.int().min(0) },
  }),
);
const FileCitation = taken<OpenAI.Responses.ResponseOutputText.FileCitation>()(
  z.strictObject({
    ...{ type: z.literal('file_citation'), file_id: z.string(), filename: z.string(), index: z.int().min(0) },
  }),
);
/** A source of a text, with exactly these fields. */
export const Annotation = z.discriminatedUnion('type', [UrlCitation, FileCitation]);

const WebSearch = taken<ItemOf<'web_search_call'>>()(
  z.strictObject({
    ...{ id: itemId('ws'), type: z.literal('web_search_call'), status },
    action: z.discriminatedUnion('type', [
      z.strictObject({
        ...{ type: z.literal('search'), query: z.string(), queries: queries.exactOptional() },
        sources: z.array(z.strictObject({ type: z.literal('url'), url: z.string() })).exactOptional(),
      }),
      z.strictObject({ type: z.literal('open_page'), url: z.string().nullable() }),
      z.strictObject({ type: z.literal('find_in_page'), url: z.string(), pattern: z.string() }),
    ]),
  }),
);

const CodeInterpreter = taken<ItemOf<'code_interpreter_call'>>()(
  z.strictObject({
    ...{ id: itemId('ci'), type: z.literal('code_interpreter_call'), status },
    ...{ code: z.string().nullable(), container_id: z.string() },
    outputs: z.array(z.strictObject({ type: z.literal('logs'), logs: z.string() })).nullable(),
  }),
);

const FileSearch = taken<ItemOf<'file_search_call'>>()(
  z.strictObject({
    ...{ id: itemId('fs'), type: z.literal('file_search_call'), status, queries },
    results: z
      .array(
        z.strictObject({
          ...{ file_id: z.string(), filename: z.string(), text: z.string(), score: z.number() },
          attributes: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])),
        }),
      )
      .nullable(),
  }),
);

const ImageGeneration = taken<ItemOf<'image_generation_call'>>()(
  z.strictObject({
    ...{ id: itemId('ig'), type: z.literal('image_generation_call'), status, result: z.string().nullable() },
    ...{ output_format: z.enum(['png', 'webp', 'jpeg', 'gif']).exactOptional() },
    revised_prompt: z.string().exactOptional(),
  }),
);

/** The items of calls that the provider ran, with exactly these fields. */
export const hostedItems = [WebSearch, CodeInterpreter, FileSearch, ImageGeneration] as const;

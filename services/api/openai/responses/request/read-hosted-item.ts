import { z } from 'zod';
import { hostedImages } from '#core/llm/openai-responses/hosted-images.ts';
import { storedCall } from '#core/turn/hosted/hosted.ts';
import type { HostedCallItem, ImagePart } from '#core/turn/request/item.ts';
import { Json } from '#core/turn/request/json.ts';
import { isHostedPrefix, readItemId } from '#core/turn/responses/item-id.ts';
import { readValue } from './explain-issues.ts';

/** A reference to a stored call of a hosted tool. `hosted` is the call as sent, for a call that is not stored. */
export type HostedReference = { type: 'item_reference'; id: string; hosted: HostedCallItem };

const Fields = z.record(z.string(), Json);
const common = { id: z.string().max(256).nullish(), status: z.string().nullish() };
const Logs = z.looseObject({ type: z.string(), logs: z.string().nullish() });

const WebSearch = z.object({ ...common, action: Fields.nullish(), results: z.array(Fields).nullish() });
const Code = z.object({ ...common, code: z.string().nullish(), outputs: z.array(Logs).nullish() });
const FileSearch = z.object({ ...common, queries: z.array(z.string()).nullish(), results: z.array(Fields).nullish() });
const Image = z.object({
  ...common,
  ...{ revised_prompt: z.string().nullish(), result: z.string().nullish(), output_format: z.string().nullish() },
});

type Read = { id?: string | null | undefined; status?: string | null | undefined };
type Made = Pick<HostedCallItem['call'], 'type' | 'input' | 'output'>;

/**
 * Reads a call that a provider ran: an item of a response, or of another API. Returns undefined for other types. A call
 * that is stored here has outputs that the item may lack, so it becomes a reference.
 */
export function readHostedItem(
  type: string,
  given: unknown,
  path: PropertyKey[],
): HostedCallItem | HostedReference | undefined {
  switch (type) {
    case 'web_search_call': {
      const item = readValue(WebSearch, given, path);
      const { sources = null, ...input } = item.action ?? {};
      return placed(item, { type: 'web_search', input, output: jsonOf(item.results ?? sources) });
    }
    case 'code_interpreter_call': {
      const item = readValue(Code, given, path);
      const logs = (item.outputs ?? []).flatMap((output) => output.logs ?? []);
      const output = logs.length > 0 ? logs.join('\n') : null;
      return placed(item, { type: 'code_execution', input: item.code ? { code: item.code } : null, output });
    }
    case 'file_search_call': {
      const item = readValue(FileSearch, given, path);
      const input = { queries: item.queries ?? [] };
      return placed(item, { type: 'file_search', input, output: jsonOf(item.results ?? null) });
    }
    case 'image_generation_call': {
      const item = readValue(Image, given, path);
      const input = item.revised_prompt ? { prompt: item.revised_prompt } : null;
      const images = hostedImages({ ...item, type }).map((url) => ({ type: 'input_image' as const, image_url: url }));
      return placed(item, { type: 'image_generation', input, output: null }, images);
    }
    default:
      return undefined;
  }
}

function jsonOf(value: unknown): string | null {
  return value === null ? null : JSON.stringify(value);
}

function placed({ id, status }: Read, made: Made, images: ImagePart[] = []): HostedCallItem | HostedReference {
  const isFailed = status === 'failed';
  const call = storedCall({
    ...{ id: id ?? '', ...made, offset: 0, error: isFailed ? 'The call failed.' : null },
    status: isFailed ? ('failed' as const) : ('completed' as const),
  });
  const hosted: HostedCallItem = { type: 'hosted_call', call, ...(images.length > 0 && { images }) };
  const prefix = id ? readItemId(id)?.place.prefix : undefined;
  return id && prefix && isHostedPrefix(prefix) ? { type: 'item_reference', id, hosted } : hosted;
}

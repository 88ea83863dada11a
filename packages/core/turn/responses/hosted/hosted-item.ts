import { isRecord } from '../../../json.ts';
import type { GeneratedImage, Hosted, HostedCall } from '../../hosted/hosted.ts';
import type { HostedType } from '../../hosted/hosted-tool.ts';
import type { Round, Turn } from '../../turn.ts';
import { type HostedPrefix, itemIdOf } from '../item-id.ts';
import { codeOf, entriesOf, fileResultsOf, queriesOf, sourcesOf, textOf } from './results.ts';

type Status = HostedCall['status'];

/** The action of a web search, in OpenAI's shape. */
type WebAction =
  | { type: 'search'; query: string; queries?: string[]; sources?: { type: 'url'; url: string }[] }
  | { type: 'open_page'; url: string | null }
  | { type: 'find_in_page'; url: string; pattern: string };

/** An item of a call that the provider ran, in OpenAI's shape. */
export type HostedItem =
  | { id: string; type: 'web_search_call'; status: Status; action: WebAction; results?: Record<string, unknown>[] }
  | {
      id: string;
      type: 'code_interpreter_call';
      status: Status;
      code: string | null;
      container_id: string;
      outputs: { type: 'logs'; logs: string }[] | null;
    }
  | {
      id: string;
      type: 'file_search_call';
      status: Status;
      queries: string[];
      results: Record<string, unknown>[] | null;
    }
  | {
      id: string;
      type: 'image_generation_call';
      status: Status;
      result: string | null;
      output_format?: string;
      revised_prompt?: string;
    };

const PREFIXES: Record<HostedType, HostedPrefix> = {
  web_search: 'ws',
  web_fetch: 'ws',
  code_execution: 'ci',
  file_search: 'fs',
  image_generation: 'ig',
};

/** Returns the prefix of the ids of a call's items. OpenAI has no item for `web_fetch`, so it opens a page. */
export function hostedPrefix({ type }: Pick<HostedCall, 'type'>): HostedPrefix {
  return PREFIXES[type];
}

/**
 * Returns whether the model of a turn may call tools that its provider runs, by the configuration of the turn. Items of
 * such calls precede the message, so the message is streamed after its round is committed.
 */
export function mayRunHosted({ config }: Pick<Turn, 'config'>): boolean {
  const own = config.provider_options?.tools;
  const isHosted = (tool: unknown) => isRecord(tool) && tool.type !== 'function';
  return (config.hosted_tools ?? []).length > 0 || (Array.isArray(own) && own.some(isHosted));
}

/** Returns the values of `include` that a turn is shown with: of its request, and of its reader. */
export function shownIncludes({ config, shownOutputs = [] }: Pick<Turn, 'config' | 'shownOutputs'>): string[] {
  return [...(config.response?.include ?? []), ...shownOutputs];
}

/** The values of `include` that show outputs of calls. */
const OUTPUTS: Record<HostedType, readonly string[]> = {
  web_search: ['web_search_call.action.sources', 'web_search_call.results'],
  web_fetch: ['web_search_call.results'],
  code_execution: ['code_interpreter_call.outputs'],
  file_search: ['file_search_call.results'],
  image_generation: [],
};

/** Returns whether the item of a call shows its output. */
export function showsOutput(turn: Pick<Turn, 'config' | 'shownOutputs'>, { type }: Pick<HostedCall, 'type'>): boolean {
  const include = shownIncludes(turn);
  return OUTPUTS[type].some((value) => include.includes(value));
}

/** The place of a call's item in a turn. */
type CallPlace = { round: number; call: number };

/** Returns the item of a call that a round made, with the outputs that `include` names. */
export function hostedItem(
  turn: Pick<Turn, 'id' | 'config' | 'shownOutputs'>,
  call: HostedCall,
  { image, ...place }: CallPlace & { image?: GeneratedImage | undefined },
): HostedItem {
  const id = itemIdOf(turn.id, { kind: 'round', prefix: hostedPrefix(call), ...place });
  return { id, ...hostedFields(call, { include: shownIncludes(turn), image }) } as HostedItem;
}

/** Returns the fields of an item without its id. `image` is the image that the call made. */
export function hostedFields(
  call: HostedCall,
  { include, image }: { include: readonly string[]; image?: GeneratedImage | undefined },
) {
  const { type, status, input, output, error } = call;
  const has = (value: string) => include.includes(value);
  switch (type) {
    case 'web_search':
    case 'web_fetch': {
      const results = has('web_search_call.results') ? { results: entriesOf(output) } : {};
      return { type: 'web_search_call' as const, status, action: actionOf(call, include), ...results };
    }
    case 'code_execution': {
      const logs = output ?? error ?? '';
      const outputs = has('code_interpreter_call.outputs') ? [{ type: 'logs' as const, logs }] : null;
      return { type: 'code_interpreter_call' as const, status, code: codeOf(input), container_id: '', outputs };
    }
    case 'file_search': {
      const results = has('file_search_call.results') ? fileResultsOf(output) : null;
      return { type: 'file_search_call' as const, status, queries: queriesOf(input), results };
    }
    case 'image_generation': {
      const prompt = textOf(input, 'revised_prompt') ?? textOf(input, 'prompt');
      return {
        ...{ type: 'image_generation_call' as const, status, ...imageFields(image) },
        ...(prompt !== null && { revised_prompt: prompt }),
      };
    }
  }
}

/** Returns the images of a round that none of its calls made, as items of their own. */
export function looseImages({ id }: Pick<Turn, 'id'>, { number, hosted }: Pick<Round, 'number' | 'hosted'>) {
  if (!hosted) return [];
  const { loose } = imagesByCall(hosted);
  return loose.map((image): HostedItem => {
    const call = hosted.calls.length + hosted.images.indexOf(image);
    const itemId = itemIdOf(id, { kind: 'round', prefix: 'ig', round: number, call });
    return { id: itemId, type: 'image_generation_call', status: 'completed', ...imageFields(image) };
  });
}

/** Returns the image that each call made, by the index of the call, and the images that no call made. */
export function imagesByCall({ calls, images }: Hosted): {
  byCall: Map<number, GeneratedImage>;
  loose: GeneratedImage[];
} {
  const makers = calls.flatMap(({ type, status, offset }, index) =>
    type === 'image_generation' && status === 'completed' ? [{ index, offset }] : [],
  );
  const rest = [...images];
  const isPaired = makers.length === images.length;
  const byCall = new Map<number, GeneratedImage>();
  for (const { index, offset } of makers) {
    const at = isPaired ? 0 : rest.findIndex((image) => image.offset === offset);
    const [image] = at === -1 ? [] : rest.splice(at, 1);
    if (image) byCall.set(index, image);
  }
  return { byCall, loose: rest };
}

/** Returns an image in base64 if its data is loaded. Its address has its type in any case. */
function imageFields(image: GeneratedImage | undefined): { result: string | null; output_format?: string } {
  const url = image?.url ?? '';
  const [, format] = /^(?:data:|blob:[0-9a-f]{64};)image\/([\w.+-]+)/.exec(url) ?? [];
  const result = url.startsWith('data:') ? url.slice(url.indexOf(',') + 1) : null;
  return { result, ...(format && { output_format: format }) };
}

function actionOf({ type, input, output }: HostedCall, include: readonly string[]): WebAction {
  const url = textOf(input, 'url');
  if (type === 'web_fetch' || textOf(input, 'type') === 'open_page') return { type: 'open_page', url };
  if (textOf(input, 'type') === 'find_in_page')
    return { type: 'find_in_page', url: url ?? '', pattern: textOf(input, 'pattern') ?? '' };
  const queries = queriesOf(input);
  return {
    ...{ type: 'search', query: queries[0] ?? '', ...(queries.length > 0 && { queries }) },
    ...(include.includes('web_search_call.action.sources') && { sources: sourcesOf(output) }),
  };
}

import { isRecord, jsonObject } from '../../json.ts';
import type { HostedCall } from '../../turn/hosted/hosted.ts';
import type { HostedType } from '../../turn/hosted/hosted-tool.ts';
import { type Fields, fieldsIn, textIn, wordIn } from '../reply/fields.ts';
import { type Item, typeOf } from './item.ts';

/** How an item reports the input and the output of its call. */
type Kind = { type: HostedType; inputOf(item: Item): Fields | null; outputOf(item: Item): string | null };

const KINDS = new Map<string, Kind>([
  ['web_search_call', { type: 'web_search', inputOf: searchOf, outputOf: sourcesOf }],
  ['code_interpreter_call', { type: 'code_execution', inputOf: codeOf, outputOf: logsOf }],
  ['file_search_call', { type: 'file_search', inputOf: queriesOf, outputOf: ({ results }) => listText(results) }],
  ['image_generation_call', { type: 'image_generation', inputOf: promptOf, outputOf: () => null }],
]);

/**
 * Returns the call of a hosted tool that an item reports, or null for any other item. `place` is the position of the
 * item in its response. If the response was cut (`isCut`), a call without its end has failed.
 */
export function hostedCallOf(
  item: Item,
  { place, isCut = false }: { place: number; isCut?: boolean },
): Omit<HostedCall, 'offset'> | null {
  const kind = KINDS.get(typeOf(item));
  if (!kind) return null;
  const { type } = kind;
  const output = kind.outputOf(item);
  const error = errorOf(item, isCut);
  return {
    id: wordIn(item.id) || wordIn(item.call_id) || `${type}_${place}`,
    type,
    status: error === null ? 'completed' : 'failed',
    input: kind.inputOf(item) ?? argumentsOf(item),
    output,
    error,
  };
}

const FAILED = ['failed', 'incomplete', 'cancelled'];
const UNFINISHED = ['in_progress', 'searching', 'interpreting', 'generating'];

function errorOf({ status, error }: Item, isCut: boolean): string | null {
  const word = wordIn(status) ?? '';
  if (!FAILED.includes(word) && !(isCut && UNFINISHED.includes(word))) return null;
  const said = textIn(error) ?? textIn(fieldsIn(error)?.message);
  return said || `The provider reported the status "${word}".`;
}

/** Returns the input of servers that write it like the arguments of a function: xAI. */
function argumentsOf({ arguments: args }: Item): Fields | null {
  return typeof args === 'string' ? jsonObject(args) : fieldsIn(args);
}

function searchOf({ action }: Item): Fields | null {
  if (!isRecord(action)) return null;
  const { sources: _, ...input } = action;
  return input;
}

function sourcesOf({ action, results }: Item): string | null {
  return listText(results) ?? listText(fieldsIn(action)?.sources);
}

function codeOf({ code }: Item): Fields | null {
  return typeof code === 'string' ? { code } : null;
}

function logsOf({ outputs }: Item): string | null {
  const logs = Array.isArray(outputs) ? outputs.flatMap((output) => textIn(fieldsIn(output)?.logs) ?? []) : [];
  return logs.length > 0 ? logs.join('\n') : null;
}

function queriesOf({ queries }: Item): Fields | null {
  return Array.isArray(queries) ? { queries } : null;
}

function promptOf({ revised_prompt: prompt }: Item): Fields | null {
  return typeof prompt === 'string' ? { prompt } : null;
}

function listText(list: unknown): string | null {
  return Array.isArray(list) && list.length > 0 ? JSON.stringify(list) : null;
}

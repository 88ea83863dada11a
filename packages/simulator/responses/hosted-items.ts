import type { ScriptedHosted } from './scripted-hosted.ts';

type Result = Record<string, unknown>;

/** An item of a hosted call, as OpenAI writes it. */
export type HostedItem = { id: string; status: string } & BareItem;

type BareItem =
  | { type: 'web_search_call'; action: Record<string, unknown> }
  | { type: 'code_interpreter_call'; code: string; container_id: string; outputs: Result[] | null }
  | { type: 'file_search_call'; queries: unknown[]; results: Result[] | null }
  | { type: 'image_generation_call'; result: string | null; [field: string]: unknown };

/** One PNG with one pixel. */
const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

/** The id of a response, and the results that its items show. */
type Shown = { id: string; include: readonly string[] };

/** Writes hosted calls as items. `include` decides which results they show. */
export function hostedItems(calls: readonly ScriptedHosted[], shown: Shown): HostedItem[] {
  return calls.map((call, index) => {
    const status = call.failed ? 'failed' : 'completed';
    return { ...itemOf(call, shown), id: `${PREFIXES[call.type]}_${shown.id}${index}`, status };
  });
}

const PREFIXES = { web_search: 'ws', code_execution: 'ci', file_search: 'fs', image_generation: 'ig' };

function itemOf(call: ScriptedHosted, { id, include }: Shown): BareItem {
  switch (call.type) {
    case 'web_search': {
      const sources = include.includes('web_search_call.action.sources') ? { sources: sourcesOf(call) } : {};
      return { type: 'web_search_call', action: { type: 'search', query: '', ...call.input, ...sources } };
    }
    case 'code_execution': {
      const outputs = include.includes('code_interpreter_call.outputs') ? outputsOf(call) : null;
      const code = textOf(call.input.code ?? '');
      return { type: 'code_interpreter_call', code, container_id: `cntr_${id}`, outputs };
    }
    case 'file_search': {
      const results = include.includes('file_search_call.results') ? listOf(call.output, 'text') : null;
      return { type: 'file_search_call', queries: [call.input.queries ?? []].flat(), results };
    }
    case 'image_generation':
      return { type: 'image_generation_call', ...imageFields(call) };
  }
}

function imageFields({
  failed,
  image = PIXEL,
  input,
}: ScriptedHosted): Record<string, unknown> & { result: string | null } {
  const about = { background: 'opaque', output_format: 'png', quality: 'low', size: '1024x1024' };
  return { ...about, result: failed ? null : image, revised_prompt: textOf(input.prompt ?? '') };
}

function sourcesOf({ output }: ScriptedHosted): Result[] {
  return listOf(output, 'url').map((source) => ({ type: 'url', ...source }));
}

function outputsOf({ output, image }: ScriptedHosted): Result[] {
  const logs = output === undefined ? [] : [{ type: 'logs', logs: textOf(output) }];
  return [...logs, ...(image ? [{ type: 'image', url: `data:image/png;base64,${image}` }] : [])];
}

function textOf(output: unknown): string {
  return typeof output === 'string' ? output : JSON.stringify(output);
}

/** Returns an output as a list of objects. A text is the given field of an object. */
function listOf(output: ScriptedHosted['output'], field: string): Result[] {
  return [output ?? []].flat().map((each) => (typeof each === 'string' ? { [field]: each } : Object(each)));
}

import { slices } from '../slices.ts';
import type { HostedItem } from './hosted-items.ts';

type Step = { type: string; fields: Record<string, unknown> };

/** Returns a hosted call at its start, without its results. */
export function openedHosted(item: HostedItem): Record<string, unknown> {
  const { id, type } = item;
  const opened = { id, type, status: 'in_progress' };
  switch (item.type) {
    case 'web_search_call':
    case 'image_generation_call':
      return opened;
    case 'code_interpreter_call':
      return { ...opened, code: '', container_id: item.container_id, outputs: item.outputs && [] };
    case 'file_search_call':
      return { ...opened, queries: [], results: null };
  }
}

/** Returns the events of a hosted call between its start and its end. */
export function hostedSteps(item: HostedItem, place: Record<string, unknown>, chunkChars: number): Step[] {
  const step = (name: string): Step => ({ type: `response.${item.type}.${name}`, fields: place });
  const completed = item.status === 'completed' ? [step('completed')] : [];
  switch (item.type) {
    case 'web_search_call':
    case 'file_search_call':
      return [step('in_progress'), step('searching'), ...completed];
    case 'image_generation_call':
      return [step('in_progress'), step('generating'), ...completed];
    case 'code_interpreter_call': {
      const type = 'response.code_interpreter_call_code';
      const deltas = slices(item.code, chunkChars).map((delta) => ({
        type: `${type}.delta`,
        fields: { ...place, delta },
      }));
      const done = { type: `${type}.done`, fields: { ...place, code: item.code } };
      return [step('in_progress'), ...deltas, done, step('interpreting'), ...completed];
    }
  }
}

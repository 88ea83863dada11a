import { z } from 'zod';
import type { InputItem } from '#core/turn/request/item.ts';
import { readValue } from './explain-issues.ts';
import { GivenContent, readParts } from './read-content.ts';

const UncalledOutput = z.object({ name: z.string().min(1), namespace: z.string().nullish(), output: GivenContent });

/** Whether no call asked for the output of a function: it names its tool instead, as OpenAI's API allows. */
export function isUncalledOutput(given: object): boolean {
  return !('call_id' in given && given.call_id !== null) && 'name' in given;
}

/** No wire has a result without its call: the user tells a model of it. */
export function readUncalledOutput(given: object, path: PropertyKey[]): InputItem {
  const { name, namespace, output } = readValue(UncalledOutput, given, path);
  const source = namespace ? `${namespace}.${name}` : name;
  const read = readParts(output, [...path, 'output']);
  const told = typeof read === 'string' ? [{ type: 'input_text' as const, text: read }] : read;
  return { role: 'user', content: [{ type: 'input_text', text: `Output of ${source}, not called by you:` }, ...told] };
}

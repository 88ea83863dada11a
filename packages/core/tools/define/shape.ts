import { z } from 'zod';
import { Misconfigured } from '../../failure.ts';
import { isRecord } from '../../json.ts';

const EXAMPLES = {
  name: 'a text, as in name: "get_weather"',
  description: 'a text, as in description: "Looks up the weather of a city"',
  input: 'a zod schema, as in input: z.object({ city: z.string() })',
  execute: 'a function, as in execute: async ({ city }) => ({ city, celsius: 22 })',
};

/** Refuses options of a tool that have not the shape of one: Node checks no types. Throws `Misconfigured`. */
export function refuseWrongShape(given: unknown): void {
  const options: Record<string, unknown> = isRecord(given) ? given : {};
  const { name, description, input, output, execute } = options;
  if (!isRecord(given))
    refuse('defineTool', 'options', { value: given, wanted: 'an object with name, description, input and execute' });
  const owner = typeof name === 'string' ? `Tool "${name}"` : 'A tool';
  if (typeof name !== 'string') refuse(owner, 'name', { value: name, wanted: EXAMPLES.name });
  if (typeof description !== 'string')
    refuse(owner, 'description', { value: description, wanted: EXAMPLES.description });
  refuseSchema(owner, 'input', input);
  if (output !== undefined) refuseSchema(owner, 'output', output);
  if (typeof execute !== 'function') refuse(owner, 'execute', { value: execute, wanted: EXAMPLES.execute });
}

function refuseSchema(owner: string, option: 'input' | 'output', value: unknown): void {
  if (value instanceof z.core.$ZodType || (isObject(value) && '_zod' in value)) return;
  if (isObject(value) && '_def' in value)
    throw new Misconfigured(
      `${owner}: \`${option}\` is a schema of zod 3. Use zod 4, which Pawl has: import { z } from "zod".`,
    );
  refuse(owner, option, { value, wanted: EXAMPLES.input.replace('input:', `${option}:`) });
}

function refuse(owner: string, option: string, { value, wanted }: { value: unknown; wanted: string }): never {
  const problem = value === undefined ? 'is missing' : `is not ${wanted.split(',', 1)[0]}`;
  throw new Misconfigured(`${owner}: \`${option}\` ${problem}. Give ${wanted}.`);
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

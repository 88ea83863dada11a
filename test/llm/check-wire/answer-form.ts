import { isObject, isSaid, unless } from './problems.ts';

/** Returns the problems of the answer form on Chat Completions. */
export function checkOpenaiForm({ stop, seed, response_format: format }: Record<string, unknown>): string[] {
  const schema = isObject(format) && format.type === 'json_schema' ? format.json_schema : undefined;
  const isNamed = isObject(schema) && /^[a-zA-Z0-9_-]{1,64}$/.test(String(schema.name)) && isObject(schema.schema);
  return [
    ...checkStops(stop, 4),
    ...unless(seed === undefined || Number.isInteger(seed), `the seed ${seed}`),
    ...unless(schema === undefined || isNamed, 'a schema without a name'),
    ...(isObject(schema) && schema.strict === true ? openObjects(schema.schema).map(inStrict) : []),
  ];
}

/** Returns the problems of the answer form on the Messages wire. */
export function checkAnthropicForm({
  stop_sequences: stop,
  seed,
  output_config: output,
}: Record<string, unknown>): string[] {
  const format = isObject(output) && isObject(output.format) ? output.format : undefined;
  const bounds = /"(?:minimum|maximum|minLength|maxLength|minItems|maxItems|pattern|multipleOf)":/;
  return [
    ...checkStops(stop, 8_191),
    ...unless(!Array.isArray(stop) || stop.every(isSaid), 'a blank text to stop at'),
    ...unless(seed === undefined, 'a seed'),
    ...unless(!bounds.test(JSON.stringify(format?.schema ?? {})), 'a schema with bounds'),
    ...openObjects(format?.schema),
  ];
}

/** Returns the problems of the answer form on generateContent. */
export function checkGeminiForm({ generationConfig }: Record<string, unknown>): string[] {
  const {
    stopSequences,
    seed,
    responseMimeType: type,
    responseJsonSchema: schema,
  } = isObject(generationConfig) ? generationConfig : {};
  const isInt32 = Number.isInteger(seed) && Math.abs(Number(seed)) < 2 ** 31;
  return [
    ...checkStops(stopSequences, 5),
    ...unless(seed === undefined || isInt32, `the seed ${seed}`),
    ...unless(schema === undefined || type === 'application/json', 'a schema without a type'),
  ];
}

function checkStops(stop: unknown, most: number): string[] {
  const isList = Array.isArray(stop) && stop.length > 0 && stop.length <= most;
  return unless(
    stop === undefined || (isList && stop.every((text) => typeof text === 'string' && text)),
    'texts to stop at',
  );
}

function inStrict(problem: string): string {
  return `${problem} in a strict schema`;
}

function openObjects(schema: unknown): string[] {
  if (typeof schema !== 'object' || schema === null) return [];
  const isOpen = isObject(schema) && schema.type === 'object' && schema.additionalProperties !== false;
  return [...unless(!isOpen, 'an open object'), ...Object.values(schema).flatMap(openObjects)];
}

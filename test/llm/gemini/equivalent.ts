import { renderSchema } from '#core/llm/gemini/render-schema.ts';
import type { WireBody, WireContent, WirePart } from '#test/llm/gemini/stored-form.ts';

/** Returns a body in camelCase with standard base64, as Google reads it. */
export function asGoogleReads(body: unknown): WireBody {
  return camelCase(body) as WireBody;
}

/**
 * Returns the content of a body, without the differences that do not change its meaning:
 * - Field names in snake_case. Google reads both.
 * - Signatures in the URL-safe base64 alphabet. The bytes are equal.
 * - Separate neighbours of one role. They are merged, because roles alternate.
 * - Text in several parts. The parts are joined.
 * - Signatures on texts, which the recorded clients dropped, and empty texts that carry only a signature.
 * - Call ids, which the clients invented or dropped. Pawl has the ids from Gemini (checked separately).
 * - Missing arguments. They are empty.
 * - Schemas in the OpenAPI dialect, in capitals or as numbers of Google's enum. The types are equal.
 * - Declarations without parameters, with empty parameters, or with an answer schema, which Pawl does not store.
 * - The model in the body. It is also in the path.
 * - Media. Pawl stores text.
 * - A role and an empty text in the system instruction, calling mode AUTO and an empty config. These are defaults.
 */
export function essence({ contents, systemInstruction, tools = [], toolConfig, model: _, ...rest }: WireBody) {
  const system = [systemInstruction?.parts ?? []]
    .flat()
    .map(({ text }) => text)
    .join('\n\n');
  const isAuto = (toolConfig?.functionCallingConfig.mode ?? 'AUTO') === 'AUTO';
  const { generationConfig = {}, ...others } = rest;
  return {
    system,
    contents: mergeRoles(contents).map(({ role, parts }) => ({ role, parts: joinTexts(parts.map(partEssence)) })),
    tools: tools.map(({ functionDeclarations, ...other }) => ({
      ...other,
      ...(functionDeclarations ? { functionDeclarations: functionDeclarations.map(declarationEssence) } : {}),
    })),
    toolConfig: isAuto ? null : toolConfig,
    generationConfig,
    others,
  };
}

function mergeRoles(contents: WireContent[]): WireContent[] {
  const merged: WireContent[] = [];
  for (const { role, parts } of contents) {
    const last = merged.at(-1);
    if (last?.role === role) last.parts.push(...parts);
    else merged.push({ role, parts: [...parts] });
  }
  return merged;
}

function partEssence({ text, functionCall: call, functionResponse: answer, thoughtSignature }: WirePart): WirePart {
  if (call) {
    const signed = thoughtSignature ? { thoughtSignature } : {};
    return { functionCall: { name: call.name, args: call.args ?? {} }, ...signed };
  }
  if (answer) return { functionResponse: { name: answer.name, response: answer.response } };
  return { text: text ?? '' };
}

function joinTexts(parts: WirePart[]): WirePart[] {
  const joined: WirePart[] = [];
  for (const part of parts) {
    const last = joined.at(-1);
    if (part.text !== undefined && last?.text !== undefined) last.text += part.text;
    else joined.push({ ...part });
  }
  return joined.filter(({ text }) => text !== '');
}

function declarationEssence(declaration: NonNullable<NonNullable<WireBody['tools']>[0]['functionDeclarations']>[0]) {
  const { name, description, parameters, parametersJsonSchema } = declaration;
  const schema = renderSchema(lowerCaseTypes(parameters ?? parametersJsonSchema ?? {}));
  const hasParameters = Object.keys(schema.properties ?? {}).length > 0;
  return { name, description: description ?? '', parameters: hasParameters ? schema : null };
}

function lowerCaseTypes(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(lowerCaseTypes);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [key, key === 'type' ? typeOf(inner) : lowerCaseTypes(inner)]),
  );
}

function typeOf(type: unknown): unknown {
  if (typeof type === 'number') return ['string', 'number', 'integer', 'boolean', 'array', 'object', 'null'][type - 1];
  return typeof type === 'string' ? type.toLowerCase() : lowerCaseTypes(type);
}

/** Fields with names from callers, which stay unchanged: arguments, responses, properties. */
const CALLERS = new Set(['args', 'response', 'parameters', 'parametersJsonSchema']);

function camelCase(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(camelCase);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => {
      const name = key.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
      if (name === 'thoughtSignature') return [name, String(inner).replaceAll('-', '+').replaceAll('_', '/')];
      return [name, CALLERS.has(name) ? inner : camelCase(inner)];
    }),
  );
}

import { isRecord } from '../../json.ts';
import type { Fields } from '../reply/fields.ts';

const NAMES = [
  ...['usageMetadata', 'promptFeedback', 'blockReason', 'blockReasonMessage', 'finishReason', 'functionCall'],
  ...['partialArgs', 'thoughtSignature', 'willContinue', 'inlineData', 'fileData'],
  ...['jsonPath', 'stringValue', 'numberValue', 'boolValue', 'promptTokenCount', 'toolUsePromptTokenCount'],
  ...['candidatesTokenCount', 'thoughtsTokenCount', 'cachedContentTokenCount'],
];
const CAMEL = new Map(NAMES.map((name) => [name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`), name]));

/** The arguments of a call: the tool names their fields. */
const OWN = new Set(['args', 'arguments']);

/**
 * Returns a chunk with the names of the wire, which some gateways write in snake case. Arguments stay as they are. A
 * chunk that has those names already is returned itself.
 */
export function withCamelCase(chunk: Fields): Fields {
  let renamed: Fields | null = null;
  for (const name in chunk) {
    const camel = CAMEL.get(name) ?? name;
    const value = OWN.has(name) ? chunk[name] : renamedIn(chunk[name]);
    if (camel === name && value === chunk[name]) continue;
    renamed ??= { ...chunk };
    delete renamed[name];
    renamed[camel] = value;
  }
  return renamed ?? chunk;
}

function renamedIn(value: unknown): unknown {
  if (!Array.isArray(value)) return isRecord(value) ? withCamelCase(value) : value;
  const renamed = value.map(renamedIn);
  return renamed.some((each, index) => each !== value[index]) ? renamed : value;
}

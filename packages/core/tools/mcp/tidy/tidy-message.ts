import type { RequestId } from '@modelcontextprotocol/client';
import { isRecord } from '../../../json.ts';

type Fields = Record<string, unknown>;

/** A request that waits for its answer. */
export type WaitingRequest = { id: RequestId; method: string };

/** Finds the request that an answer with this id belongs to. The id may be missing, null or of another type. */
export type FindRequest = (id: unknown) => WaitingRequest | undefined;

const FIELDS: ReadonlySet<string> = new Set(['jsonrpc', 'id', 'result', 'error', 'method', 'params']);

/**
 * Gives the answer to a waiting request the form that the SDK reads. The SDK drops other answers, and the request
 * would count as lost. All other messages stay unchanged.
 * - A missing version and a wrong type of the id are mended, other fields are omitted.
 * - An error counts if it has content, or if there is no result. It has a code and a message.
 * - A result that is not an object is wrapped in an object.
 */
export function tidyMessage(message: Fields, find: FindRequest): Fields {
  if (typeof message.method === 'string' || !('result' in message || 'error' in message)) return message;
  const isKnown = message.jsonrpc === '2.0' || Object.keys(message).every((name) => FIELDS.has(name));
  const request = isKnown ? find(message.id) : undefined;
  if (!request) return message;
  const { result, error } = message;
  const isMissing = result === null || result === undefined;
  const isFailed = isMissing ? Boolean(error) : saysAnything(error);
  const answer = isFailed ? { error: tidyError(error) } : { result: tidyAnswered(request.method, result) };
  return { jsonrpc: '2.0', id: request.id, ...answer };
}

function saysAnything(error: unknown): boolean {
  return isRecord(error) ? Boolean(error.code || error.message) : Boolean(error);
}

/** A code without a specific meaning: the server refused the request. */
const REFUSED = -32_000;

function tidyError(error: unknown): Fields {
  const { code, message, data } = isRecord(error) ? error : { message: error };
  const said = typeof message === 'string' && message !== '' ? message : JSON.stringify(error);
  return { code: codeOf(code), message: said, ...(data !== undefined && { data }) };
}

function codeOf(code: unknown): number {
  const number = typeof code === 'string' && /^-?\d+$/.test(code) ? Number(code) : code;
  return Number.isSafeInteger(number) ? Number(number) : REFUSED;
}

function tidyAnswered(method: string, result: unknown): Fields {
  const fields = isRecord(result) ? result : wrapResult(method, result);
  if ('_meta' in fields && !isRecord(fields._meta)) Reflect.deleteProperty(fields, '_meta');
  if (method === 'initialize') tidyGreeting(fields);
  return fields;
}

function wrapResult(method: string, result: unknown): Fields {
  if (method === 'tools/call') return { content: result ?? [] };
  return method === 'tools/list' ? { tools: result ?? [] } : {};
}

/** The versions with a greeting that the SDK takes. */
export const GREETING_VERSIONS: readonly unknown[] = [
  ...['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05', '2024-10-07'],
];

/** The version that a server assumes if a client names none. */
const ASSUMED_VERSION = '2025-03-26';

/** Tidies the answer to `initialize` in place, since the SDK would refuse the whole server for one odd field. */
function tidyGreeting(greeting: Record<string, unknown>): void {
  const { protocolVersion, capabilities, serverInfo, instructions } = greeting;
  const { name, version } = isRecord(serverInfo) ? serverInfo : {};
  Object.assign(greeting, {
    protocolVersion: GREETING_VERSIONS.includes(protocolVersion) ? protocolVersion : ASSUMED_VERSION,
    capabilities: isRecord(capabilities) && capabilities.tools ? { tools: {} } : {},
    serverInfo: { name: textOf(name), version: textOf(version) },
  });
  if (typeof instructions !== 'string') Reflect.deleteProperty(greeting, 'instructions');
}

function textOf(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : 'unknown';
}

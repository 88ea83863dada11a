import { isRecord } from '../../json.ts';
import { wordOf } from '../../text.ts';

/**
 * Returns the error in an answer with status 200, or undefined if it has none. `name` is the name of the value's
 * event. It returns the complete value, since several fields may describe the error.
 */
export function errorInAnswer(value: unknown, name: string | null = null): unknown {
  if (name === 'error') return value ?? {};
  const first = Array.isArray(value) ? value[0] : value;
  if (!isRecord(first)) return undefined;
  if (RESPONSE_EVENT.test(wordOf(first.type))) return errorOfResponse(first);
  if (saysSomething(first.error) || isBaseError(first.base_resp)) return first;
  const choice = Array.isArray(first.choices) ? first.choices[0] : undefined;
  // Groq reports the error of a broken reply beside its usage.
  const place = [choice, first.x_groq].find((each) => isRecord(each) && saysSomething(each.error));
  if (place !== undefined) return place;
  if (hasContent(first) || isAlive(first, name)) return undefined;
  return isError(first) ? first : undefined;
}

/** Events of OpenAI's Responses. Only the last event of a failed response has an error of the response. */
const RESPONSE_EVENT = /^response\.(?!error$)/;

function errorOfResponse({ type, response }: Record<string, unknown>): unknown {
  const hasFailed = type === 'response.failed' && isRecord(response) && saysSomething(response.error);
  return hasFailed ? response : undefined;
}

/** Returns whether a value describes an error. Some servers send an empty error or a success with each reply. */
function saysSomething(error: unknown): boolean {
  if (typeof error === 'string') return error.trim() !== '';
  if (Array.isArray(error)) return error.some(saysSomething);
  if (!isRecord(error)) return error === true;
  return !saysSuccess(error) && Object.values(error).some((field) => field !== 0 && Boolean(field));
}

function saysSuccess({ code, message }: Record<string, unknown>): boolean {
  return /^\W*(ok|success\w*)\W*$/i.test(wordOf(message)) && (code === undefined || isWell(code));
}

/** Returns whether MiniMax's code at the end of an answer is an error. Zero is success. */
function isBaseError(base: unknown): boolean {
  return isRecord(base) && Number(wordOf(base.status_code)) !== 0;
}

/** Fields that only an answer has, on any of the wires. */
const CONTENT = [
  'choices',
  'candidates',
  'delta',
  'content',
  'content_block',
  'usage',
  'usageMetadata',
  'promptFeedback',
];

function hasContent(value: Record<string, unknown>): boolean {
  return CONTENT.some((key) => isFilled(value[key])) || isRecord(value.message);
}

function isFilled(value: unknown): boolean {
  if (Array.isArray(value)) return value.length > 0;
  return typeof value === 'object' && value !== null && Object.keys(value).length > 0;
}

/**
 * Returns whether an object without content describes an error: by its kind, by a code beside a message, or by a
 * message alone.
 */
function isError(value: Record<string, unknown>): boolean {
  const { object, type, status, success, ok, errors, detail } = value;
  if (object === 'error' || type === 'error') return true;
  if (success === false || ok === false || saysSomething(errors) || saysSomething(detail)) return true;
  if (typeof status === 'string' && /^(error|fail|failed|failure)$/i.test(status)) return true;
  const message = MESSAGE_KEYS.map((key) => value[key]).find((said) => typeof said === 'string' && said.trim() !== '');
  return typeof message === 'string' && !isSuccess(value) && !SIGNS_OF_LIFE.test(message);
}

/** Returns whether a value shows that the server continues: a sign of life, or an event of the Messages API. */
function isAlive({ type, event, object, status }: Record<string, unknown>, name: string | null): boolean {
  if (object === 'error' || /^(error|fail)/i.test(wordOf(status))) return false;
  return [name, type, event, object].some((kind) => typeof kind === 'string' && KINDS_OF_LIFE.test(kind));
}

const KINDS_OF_LIFE =
  /ping|pong|heart_?beat|keep[-_]?alive|progress|^(status|info|notice|warning|debug|log|queued?|processing|pending)$|^(message|content_block)_/i;

const MESSAGE_KEYS = ['message', 'msg', 'error_msg', 'Message', 'errorMessage'];
const SIGNS_OF_LIFE = /^\W*(ok|success\w*|ping|pong|keep-?alive|heartbeat|processing|queued|pending|waiting)\b/i;

/** Returns whether a code beside a message means success. */
function isSuccess({ code, status, statusCode, success }: Record<string, unknown>): boolean {
  return success === true || isWell(code) || isWell(status) || isWell(statusCode);
}

function isWell(value: unknown): boolean {
  return /^(0+|2\d\d|ok|success)$/i.test(wordOf(value));
}

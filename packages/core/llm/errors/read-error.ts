import { isRecord, parseJson } from '../../json.ts';
import { plainWords } from './name-failure.ts';

/** The readable parts of an error. `codes` are its words for programs, the innermost first. */
export type SaidError = {
  status: number | null;
  codes: string[];
  message: string | null;
  /** The field of the request that it names. */
  param: string | null;
  requestId: string | null;
};

type Layer = Record<string, unknown>;

/** Reads an error, an object around it, a list of errors, or plain text. All fields are optional. */
export function readError(value: unknown): SaidError {
  if (typeof value === 'string')
    return { status: null, codes: [], message: textIn(value), param: null, requestId: null };
  const layers = layersOf(value);
  return {
    status: firstOf(layers, statusOf),
    codes: codesOf(layers),
    message: firstOf(layers, messageOf) ?? firstOf(layers, jsonMessageOf),
    param: firstOf(layers, ({ param }) => textIn(param))?.slice(0, LONGEST_PARAM) ?? null,
    requestId: firstOf(layers, ({ request_id, requestId }) => textIn(request_id) ?? textIn(requestId)),
  };
}

/** Reads the body of a refusal. The HTTP status counts, and a body without a message is quoted completely. */
export function readRefusal({ status, text }: { status: number; text: string }): SaidError {
  const json = parseJson(text);
  const said = readError(json);
  const whole = json ? JSON.stringify(innermost(json)) : plainWords(text);
  return { ...said, status, message: said.message ?? whole };
}

const DEEPEST = 4;

/** Returns an error and the objects around it, the innermost first. Gateways wrap the error of another server. */
function layersOf(value: unknown, depth = 0): Layer[] {
  const layer = firstIn(value);
  if (!isRecord(layer) || depth > DEEPEST) return [];
  const within = (keys: string[]) => keys.flatMap((key) => layersOf(layer[key], depth + 1));
  return [...within(HOLDERS), layer, ...within(DETAILS)];
}

/** The keys of an object that hold an error. `base_resp` is MiniMax's. */
const HOLDERS = ['error', 'errors', 'base_resp', 'fault'];
/** The keys of an error that hold details. */
const DETAILS = ['detail', 'details', 'innererror'];

function firstIn(value: unknown): unknown {
  return Array.isArray(value) ? (value.find(hasReason) ?? value[0]) : value;
}

/** Returns whether an entry has a reason. Google's details are a list with one such entry. */
function hasReason(entry: unknown): boolean {
  return isRecord(entry) && ['reason', 'error', 'message'].some((key) => Boolean(entry[key]));
}

function innermost(json: unknown): unknown {
  const first = Array.isArray(json) ? json[0] : json;
  return isRecord(first) && isRecord(first.error) ? first.error : first;
}

function firstOf<Value>(layers: Layer[], read: (layer: Layer) => Value | null): Value | null {
  for (const layer of layers) {
    const value = read(layer);
    if (value !== null) return value;
  }
  return null;
}

/** Returns the HTTP status, which some servers send as the code, as a number or as text. */
function statusOf({ status_code, statusCode, http_code, status, code }: Layer): number | null {
  return [status_code, statusCode, http_code, status, code].map(statusIn).find((found) => found !== null) ?? null;
}

function statusIn(value: unknown): number | null {
  const number = typeof value === 'number' || typeof value === 'string' ? Number(value) : Number.NaN;
  return Number.isInteger(number) && number >= 400 && number <= 599 ? number : null;
}

const LONGEST_CODE = 200;
const LONGEST_PARAM = 200;
const CODE_KEYS = ['code', 'error_code', 'err_code', 'errorcode', 'reason', 'type', 'error_type', '__type', 'status'];

/** Returns the codes of all layers, with numbers other than HTTP statuses (Zhipu, SiliconFlow, Baidu). */
function codesOf(layers: Layer[]): string[] {
  const codes = CODE_KEYS.flatMap((key) => layers.map((layer) => layer[key]).filter(isCode));
  return [...new Set([...codes.map((code) => String(code).slice(0, LONGEST_CODE)), ...layers.flatMap(baseCodes)])];
}

function isCode(code: unknown): boolean {
  const isWord = (typeof code === 'string' && code !== '') || (typeof code === 'number' && code !== 0);
  return isWord && statusIn(code) === null && !SILENT.test(String(code));
}

/** Words without information about the error. */
const SILENT = /^(error|fail|failed|object)$/i;

function baseCodes({ status_code: code, status_msg }: Layer): string[] {
  const isCode = typeof code === 'string' || typeof code === 'number';
  if (status_msg === undefined || !isCode || !code) return [];
  const word = BASE_CODES.get(Number(code));
  return word ? [`base_resp ${code}`, word] : [`base_resp ${code}`];
}

/** MiniMax's numbers in `base_resp.status_code`, in words of the signs. */
const BASE_CODES = new Map([
  [1001, 'timeout_error'],
  [1002, 'rate_limit_error'],
  [1004, 'authentication_error'],
  [1008, 'insufficient_balance'],
  [1013, 'api_error'],
  [1024, 'api_error'],
  [1026, 'content_filter'],
  [1027, 'content_filter'],
  [1033, 'api_error'],
  // Tokens per minute, not the length of one request.
  [1039, 'rate_limit_error'],
  [1041, 'rate_limit_error'],
  [1042, 'invalid_request_error'],
  [2013, 'invalid_request_error'],
  [2045, 'rate_limit_error'],
  [2049, 'authentication_error'],
  [2056, 'usage_limit_reached'],
  [2061, 'permission_error'],
]);

const MESSAGE_KEYS = [
  'message',
  'msg',
  'detail',
  'error_msg',
  'status_msg',
  'errorMessage',
  'Message',
  'faultstring',
  'error',
];

function messageOf(layer: Layer): string | null {
  const said = MESSAGE_KEYS.map((key) => textIn(layer[key])).find((text) => text !== null) ?? null;
  // OpenRouter's own message is always the same. `raw` has the message of the other server.
  const raw = isRecord(layer.metadata) ? textIn(layer.metadata.raw) : null;
  return said && raw ? `${said}: ${raw}` : said;
}

/** Returns a message that is an object or a list (FastAPI), as JSON. */
function jsonMessageOf({ message, detail, errors }: Layer): string | null {
  const said = [message, detail, errors].find((value) => typeof value === 'object' && value !== null);
  return said === undefined ? null : JSON.stringify(said);
}

function textIn(value: unknown): string | null {
  return typeof value === 'string' && value.trim() !== '' ? value : null;
}

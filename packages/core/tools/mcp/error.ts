/** Answers a request if its stream ended before the answer. */
export const CUT = { code: -32_099, message: 'the connection ended before the answer did' };

/** Fails a request if its answer is not a message of the protocol. */
export const UNREADABLE = { code: -32_097, message: 'the answer is not a message of the protocol' };

/** The code of an error in place of an answer that exceeds a bound. The message names the bound. */
const TOO_LARGE_CODE = -32_098;

/** Returns the error in place of an answer that exceeds a bound: `more than 8 MiB`. */
export function tooLarge(bound: string): { code: number; message: string } {
  return { code: TOO_LARGE_CODE, message: bound };
}

/** The error for an answer that exceeds a bound. The message names the bound: `more than 20 pages`. */
export class TooLarge extends Error {
  readonly code = TOO_LARGE_CODE;
}

/** The error for a session that the server no longer knows. It is unknown whether the request took effect. */
export class SessionForgotten extends Error {}

/** The failure of an MCP server. `code` is that of the network. `wasConnected`: the connection existed before. */
export type McpError =
  | { kind: 'refused'; code: number; message: string }
  | { kind: 'status'; status: number; text: string }
  | { kind: 'timeout'; slow?: string | undefined }
  | { kind: 'unreadable'; code: string }
  | { kind: 'too-large'; bound: string }
  | { kind: 'forgotten' }
  | { kind: 'broken'; code: string | null; wasConnected?: boolean };

/** Reads an error of the SDK, often an error within an error. Keeps only texts that the server wrote. */
export function readMcpError(error: unknown): McpError {
  if (error instanceof SessionForgotten) return { kind: 'forgotten' };
  const code = propertyOf(error, 'code');
  const status = propertyOf(error, 'name') === 'InsufficientScopeError' ? 403 : propertyOf(error, 'status');
  if (typeof status === 'number') return { kind: 'status', status, text: textOf(propertyOf(error, 'data')) };
  if (code === CUT.code) return { kind: 'broken', code: null };
  if (code === UNREADABLE.code) return { kind: 'unreadable', code: 'NO_MESSAGE' };
  if (code === TOO_LARGE_CODE) return { kind: 'too-large', bound: messageOf(error) };
  if (typeof code === 'number') return { kind: 'refused', code, message: messageOf(error) };
  if (code === 'REQUEST_TIMEOUT') return { kind: 'timeout' };
  if (typeof code === 'string' && UNREADABLE_CODES.test(code)) return { kind: 'unreadable', code };
  const cause = networkError(error);
  const wasConnected = cause?.syscall === 'read' || cause?.syscall === 'write';
  return { kind: 'broken', code: cause?.code ?? null, ...(wasConnected && { wasConnected }) };
}

const UNREADABLE_CODES =
  /^(?:INVALID_RESULT|UNSUPPORTED_RESULT_TYPE|INPUT_REQUIRED\w*|CLIENT_HTTP_UNEXPECTED_CONTENT)$/;

type NetworkError = { code: string; syscall: unknown };

/** Returns the outermost system error, with its code (`ECONNREFUSED`, `UND_ERR_SOCKET`, `ENOENT` …) and system call. */
function networkError(error: unknown, depth = 0): NetworkError | null {
  if (!(error instanceof Error) || depth > 5) return null;
  const code = propertyOf(error, 'code');
  const isSystem = typeof code === 'string' && /^(?:E[A-Z]{3,}|UND_ERR_\w+|HPE_\w+|ERR_\w+|\w*CERT\w*)$/.test(code);
  return isSystem ? { code, syscall: propertyOf(error, 'syscall') } : networkError(error.cause, depth + 1);
}

function propertyOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
}

function textOf(data: unknown): string {
  const text = propertyOf(data, 'text');
  return typeof text === 'string' ? text.trim() : '';
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : '';
}

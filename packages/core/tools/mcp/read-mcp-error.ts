import { CUT, TOO_LARGE } from './watch-streams.ts';

/**
 * What went wrong with an MCP server: it refused a message, it answered with another HTTP status than 200, it did not
 * answer in time, it answered with what cannot be read or with too much, or the connection broke. `code` is that of the
 * network.
 */
export type McpError =
  | { kind: 'refused'; code: number; message: string }
  | { kind: 'status'; status: number; said: string }
  | { kind: 'timeout' }
  | { kind: 'unreadable'; code: string }
  | { kind: 'too-large' }
  | { kind: 'broken'; code: string | null };

/** Reads what the client threw, often something within something. Of its texts only those of the server are kept. */
export function readMcpError(error: unknown): McpError {
  const code = propertyOf(error, 'code');
  const status = nameOf(error) === 'InsufficientScopeError' ? 403 : propertyOf(error, 'status');
  if (typeof status === 'number') return { kind: 'status', status, said: textOf(propertyOf(error, 'data')) };
  if (code === CUT.code) return { kind: 'broken', code: null };
  if (code === TOO_LARGE.code) return { kind: 'too-large' };
  if (typeof code === 'number') return { kind: 'refused', code, message: messageOf(error) };
  if (code === 'REQUEST_TIMEOUT') return { kind: 'timeout' };
  if (typeof code === 'string' && UNREADABLE.test(code)) return { kind: 'unreadable', code };
  return { kind: 'broken', code: networkCode(error) };
}

/** The client's words for an answer that came, and that it can do nothing with. */
const UNREADABLE = /^(?:INVALID_RESULT|UNSUPPORTED_RESULT_TYPE|INPUT_REQUIRED\w*|CLIENT_HTTP_UNEXPECTED_CONTENT)$/;

/** The code of the system's error at the bottom of it (`ECONNREFUSED`, `UND_ERR_SOCKET`, `ENOENT` …). */
function networkCode(error: unknown, depth = 0): string | null {
  if (!(error instanceof Error) || depth > 5) return null;
  const code = propertyOf(error, 'code');
  if (typeof code === 'string' && /^(?:E[A-Z]{3,}|UND_ERR_\w+|HPE_\w+|ERR_\w+|\w*CERT\w*)$/.test(code)) return code;
  return networkCode(error.cause, depth + 1);
}

function nameOf(error: unknown): string {
  return error instanceof Error ? error.name : '';
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

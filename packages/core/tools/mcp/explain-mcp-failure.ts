import type { ToolErrorCategory } from '../../turn/tool-result.ts';
import type { FailedAttempt } from '../attempt.ts';
import { failureOfStatus } from '../failure-of-status.ts';
import type { McpError } from './read-mcp-error.ts';

/** Where it failed: at which server, whether the call had been handed to a connection, and how long it had. */
export type McpFailure = { server: string; sent: boolean; timeoutMs: number };

type Verdict = Omit<FailedAttempt, 'kind' | 'error' | 'afterMs'> & {
  category: ToolErrorCategory;
  message: string;
  details?: Record<string, unknown>;
};

/** A failed try in the contract's words. A call that was not handed to a connection has surely not been made. */
export function explainMcpFailure(error: McpError, about: McpFailure): FailedAttempt {
  const { category, message, details = {}, certainty } = verdictOf(error, about);
  return {
    kind: 'failed',
    error: { category, message, details },
    afterMs: 0,
    certainty: about.sent ? certainty : 'never-reached',
  };
}

function verdictOf(error: McpError, { server, sent, timeoutMs }: McpFailure): Verdict {
  const name = `The MCP server ${JSON.stringify(server)}`;
  switch (error.kind) {
    case 'refused':
      return { ...refusal(error), details: { code: error.code } };
    case 'status': {
      const { category, certainty } = failureOfStatus(error.status) ?? UNKNOWN;
      const said = error.said ? `: ${error.said}` : '.';
      const message = `${name} answered ${error.status}${said}`;
      return { category, message, details: { status: error.status }, certainty };
    }
    case 'timeout': {
      const message = sent ? `The tool did not answer within ${timeoutMs} ms.` : `${name} was not there in time.`;
      return { category: 'execution_timeout', message, certainty: 'lost' };
    }
    case 'unreadable': {
      const message = `${name} sent an answer that cannot be used (${error.code}).`;
      return { category: 'unknown', message, certainty: 'answered' };
    }
    case 'too-large': {
      const message = `${name} answered more than 8 MiB, or JSON of more than 250,000 values or 100 levels.`;
      return { category: 'unknown', message, certainty: 'answered' };
    }
    case 'broken': {
      const why = error.code ? ` (${error.code})` : '';
      const isLost = sent && !NEVER_CONNECTED.test(error.code ?? '');
      const message = isLost ? `${name} was lost before it answered${why}.` : `${name} cannot be reached${why}.`;
      return { category: 'network_error', message, certainty: isLost ? 'lost' : 'never-reached' };
    }
  }
}

const UNKNOWN = { category: 'unknown', certainty: 'answered' } as const;

const NEVER_CONNECTED = /^(?:ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|UND_ERR_CONNECT_TIMEOUT)$/;

const METHOD_NOT_FOUND = -32_601;
const INVALID_PARAMS = -32_602;
const INTERNAL_ERROR = -32_603;

/** MCP has one code for arguments that do not fit and tools that do not exist; only the message tells them apart. */
function refusal({ code, message }: Extract<McpError, { kind: 'refused' }>): Omit<Verdict, 'details'> {
  if (code === INTERNAL_ERROR) return { category: 'unknown', message, certainty: 'broke' };
  return { category: categoryOf(code, message), message, certainty: 'answered' };
}

function categoryOf(code: number, message: string): ToolErrorCategory {
  if (code === METHOD_NOT_FOUND) return 'resource_not_found';
  if (code !== INVALID_PARAMS) return 'unknown';
  return /\bunknown tool\b|\btool\b.*\bnot found\b/i.test(message) ? 'resource_not_found' : 'invalid_arguments';
}

import { quote } from '../../text.ts';
import type { McpServerConfig } from './config.ts';
import { readMcpError } from './error.ts';

/** Why a server does not list its tools: `what` follows its name. A lasting problem does not pass without the operator. */
export type McpProblem = { what: string; advice: string; isLasting: boolean };

const PASSING = new Set([408, 425, 429]);

/** Reads what went wrong with a list of tools. */
export function mcpProblem(error: unknown): McpProblem {
  const found = readMcpError(error);
  switch (found.kind) {
    case 'status': {
      const isLasting = found.status < 500 && !PASSING.has(found.status);
      const isRefused = found.status === 401 || found.status === 403;
      const advice = isRefused ? 'Check its headers in PAWL_MCP.' : 'Check its URL in PAWL_MCP.';
      return { what: `answers with status ${found.status}`, advice, isLasting };
    }
    case 'forgotten':
      return { what: 'forgets its sessions at once', advice: 'Check that its sessions last.', isLasting: false };
    case 'timeout':
      return { what: 'does not answer in time', advice: 'Check that it runs.', isLasting: false };
    case 'broken':
      return {
        what: `cannot be reached${found.code ? ` (${found.code})` : ''}`,
        advice: 'Check that it runs, and its address in PAWL_MCP.',
        isLasting: false,
      };
    case 'too-large':
      return { what: `lists ${found.bound}`, advice: 'Let it list less.', isLasting: true };
    case 'refused':
    case 'unreadable':
      return { what: 'does not answer as an MCP server does', advice: 'Check its URL in PAWL_MCP.', isLasting: true };
  }
}

/** Says why a server lists no tools, without its address or texts. Null: it has not answered yet. */
export function explainProblem(server: string, problem: McpProblem | null): string {
  const name = `The MCP server ${quote(server)}`;
  if (problem === null) return `${name} has not answered yet. Try again in a moment.`;
  if (problem.isLasting) return `${name} ${problem.what}. Ask the operator to check PAWL_MCP.`;
  return `${name} cannot be reached now. Try again in a moment.`;
}

/** A server by its name and address, without user, password, query and what looks like a key in the path. */
export function addressOfMcp(name: string, config: McpServerConfig): string {
  if (!('url' in config)) return `The MCP server ${name}`;
  const { origin, pathname } = new URL(config.url);
  const path = pathname.split('/').map((part) => (part.length >= 16 && /\d/.test(part) ? '…' : part));
  return `The MCP server ${name} at ${origin}${path.join('/')}`;
}

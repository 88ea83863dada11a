import { quote } from '../../text.ts';
import type { McpServerConfig } from './config.ts';
import { readMcpError } from './error.ts';

/** Why a server does not list its tools. `what` follows its name. Only the operator can solve a lasting problem. */
export type McpProblem = { what: string; advice: string; isLasting: boolean };

const PASSING = new Set([408, 425, 429]);

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
      return {
        what: 'loses its sessions immediately',
        advice: 'Check that the server keeps its sessions.',
        isLasting: false,
      };
    case 'timeout':
      return { what: 'does not answer in time', advice: 'Check that the server runs.', isLasting: false };
    case 'broken':
      return {
        what: `cannot be reached${found.code ? ` (${found.code})` : ''}`,
        advice: 'Check that the server runs, and its address in PAWL_MCP.',
        isLasting: false,
      };
    case 'too-large':
      return { what: `lists ${found.bound}`, advice: 'Reduce its list of tools.', isLasting: true };
    case 'refused':
    case 'unreadable':
      return { what: 'does not answer like an MCP server', advice: 'Check its URL in PAWL_MCP.', isLasting: true };
  }
}

/** Explains why a server lists no tools, without its address or texts. Null means that it has not answered yet. */
export function explainProblem(server: string, problem: McpProblem | null): string {
  const name = `The MCP server ${quote(server)}`;
  if (problem === null) return `${name} has not answered yet. Try again in a moment.`;
  if (problem.isLasting) return `${name} ${problem.what}. Ask the operator to check PAWL_MCP.`;
  return `${name} cannot be reached now. Try again in a moment.`;
}

/** Returns the name and address of a server, without user, password, query and possible keys in the path. */
export function addressOfMcp(name: string, config: McpServerConfig): string {
  if (!('url' in config)) return `The MCP server ${name}`;
  const { origin, pathname } = new URL(config.url);
  const path = pathname.split('/').map((part) => (part.length >= 16 && /\d/.test(part) ? '…' : part));
  return `The MCP server ${name} at ${origin}${path.join('/')}`;
}

import { isRecord, parseJson } from '../../../json.ts';

const BEGINNING = /\{\s*"(?:jsonrpc|id|result|error|method)"\s*:/;

/** Reads the message in a line of a command: some write a byte order mark or a text of their log before it. */
export function readMessage(line: string): Record<string, unknown> | null {
  const whole = parseJson(line);
  if (isRecord(whole)) return whole;
  if (whole !== undefined) return null;
  const at = line.search(BEGINNING);
  const rest = at > 0 ? parseJson(line.slice(at)) : undefined;
  return isRecord(rest) && rest.jsonrpc === '2.0' ? rest : null;
}

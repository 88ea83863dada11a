import { Misconfigured } from './failure.ts';

/**
 * Parses a variable's JSON. Throws `Misconfigured` with the position only, since the parser's message may quote a
 * secret.
 */
export function parseJsonSetting(variable: string, text: string, form: string): unknown {
  const problem = problemOf(text);
  if (problem === null) return JSON.parse(text);
  throw new Misconfigured(`${variable}: this is not valid JSON, at ${placeOf(problem, text)}. ${form}`);
}

function problemOf(text: string): string | null {
  try {
    JSON.parse(text);
    return null;
  } catch (error) {
    return error instanceof Error ? error.message : '';
  }
}

/**
 * Returns the position of a problem. The parser names no position of an unknown token: the shortest beginning with
 * that problem ends there.
 */
function placeOf(problem: string, text: string): string {
  const [position] = /line \d+ column \d+/.exec(problem) ?? [];
  if (position) return position;
  let [good, bad] = [0, text.length];
  while (good < bad) {
    const middle = Math.floor((good + bad) / 2);
    if (problemOf(text.slice(0, middle))?.startsWith('Unexpected token')) bad = middle;
    else good = middle + 1;
  }
  const lines = text.slice(0, bad).split('\n');
  return `line ${lines.length} column ${Math.max(1, lines.at(-1)?.length ?? 0)}`;
}

import type { Random } from '../random.ts';

/** Writes the input of a turn of so many rounds with calls. `mark` is in all rounds and in the answer. */
export function familyScript({ mark, rounds }: { mark: string; rounds: number }, random: Random): string {
  const replies = Array.from({ length: rounds }, (_, round) => ({
    think_ms: random.integer(50, 400),
    tools: (['book', 'note'] as const).map((name) => ({
      name,
      arguments: { mark: `${mark}.${round + 1}.${name}`, wait_ms: random.integer(20, 300) },
    })),
  }));
  const final = { think_ms: random.integer(50, 400) };
  return JSON.stringify({ sim: { rounds: replies, answer: `Done: ${mark}.`, final } });
}

/** Returns the tools of these turns: an `at_most_once` tool, and a tool for calls that may be repeated. */
export function familyTools(toolUrl: string) {
  return [familyTool('book', 'at_most_once'), familyTool('note', 'idempotent')];

  function familyTool(name: string, effect: string) {
    const execution = { kind: 'http', url: `${toolUrl}/${name}` };
    return { type: 'function', name, description: 'Does something that is counted.', parameters, execution, effect };
  }
}

const parameters = {
  type: 'object',
  properties: { mark: { type: 'string' }, wait_ms: { type: 'integer' } },
  required: ['mark'],
};

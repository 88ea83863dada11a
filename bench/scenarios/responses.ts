import { nameOf, pawlAskedFor } from '../contenders/pawl-responses.ts';
import { measureInTurns } from '../measure-entry.ts';
import { figuresTable } from '../report/figures-table.ts';
import { atMost } from '../report/goal.ts';
import { ratio, wholeCpu } from '../report/summarize.ts';
import type { Scenario } from '../scenario.ts';

const MOST_CPU = 1.2;

/** What a response in the foreground costs beside the same turn by its own API: one request for two, more to show. */
export const responses: Scenario = async (harness, { modes, turns, concurrency, alone, tries }) => {
  const contests = modes.flatMap((mode) =>
    (['turn', 'response'] as const).map((asked) => ({
      name: nameOf(asked, mode),
      entry: pawlAskedFor(asked, mode),
      work: { rounds: 1, thinkMs: 0 },
      play: { turns, concurrency, alone },
    })),
  );
  const results = await measureInTurns(contests, harness, tries);
  const goals = modes.flatMap((mode) => {
    const pair: [string, string] = [nameOf('response', mode), nameOf('turn', mode)];
    const slower: [string, string] = [pair[1], pair[0]];
    return [
      atMost(`on ${mode}: CPU of a response ÷ of a turn`, MOST_CPU, ratio(results, pair, wholeCpu)),
      atMost(`on ${mode}: turns/s of turns ÷ of responses`, MOST_CPU, ratio(results, slower)),
    ];
  });
  return { text: `Turns of one round without tools.\n${figuresTable(results)}`, goals };
};

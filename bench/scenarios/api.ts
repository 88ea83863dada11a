import { type Asked, bareApi, pawlApi } from '../contenders/api-alone.ts';
import { measureInTurns } from '../measure-in-turns.ts';
import { figuresTable } from '../report/figures-table.ts';
import { atLeast } from '../report/goal.ts';
import { ratio } from '../report/summarize.ts';
import type { Scenario } from '../scenario.ts';
import { PLAIN_WORK } from '../work.ts';

const GOAL = 0.5;
const REQUESTS_PER_TURN = 4;
const ASKED: Asked[] = ['POST', 'GET'];

/** How many requests a second the API answers, beside a bare route that makes one round trip to Postgres. */
export const api: Scenario = async (ground, { modes, turns, concurrency, tries }) => {
  const play = { turns: turns * REQUESTS_PER_TURN, concurrency, alone: 0 };
  const asking = ASKED.flatMap((asked) => [bareApi(asked), ...modes.map((mode) => pawlApi(asked, mode))]);
  const contests = asking.map((entry) => ({ name: entry.name, entry, work: PLAIN_WORK, play }));
  const results = await measureInTurns(contests, ground, tries);
  const goals = ASKED.flatMap((asked) =>
    modes.map((mode) => {
      const path = asked === 'POST' ? 'POST /v1/turns' : 'GET /v1/turns/:id';
      const pair: [string, string] = [pawlApi(asked, mode).name, bareApi(asked).name];
      return atLeast(`on ${mode}: ${path} ÷ bare Hono route`, GOAL, ratio(results, pair));
    }),
  );
  return { text: figuresTable(results, 'request'), goals };
};

import { bareApi, pawlApi, type RequestMethod } from '../contenders/api-alone.ts';
import { measureInTurns } from '../measure-entry.ts';
import { figuresTable } from '../report/figures-table.ts';
import { atLeast } from '../report/goal.ts';
import { ratio } from '../report/summarize.ts';
import type { Scenario } from '../scenario.ts';
import { PLAIN_WORK } from '../work.ts';

const GOAL = 0.5;
const REQUESTS_PER_TURN = 4;
const METHODS: RequestMethod[] = ['POST', 'GET'];

/** How many requests a second the API answers, beside a bare route that makes one round trip to Postgres. */
export const api: Scenario = async (harness, { modes, turns, concurrency, tries }) => {
  const play = { turns: turns * REQUESTS_PER_TURN, concurrency, alone: 0 };
  const measured = METHODS.flatMap((method) => [bareApi(method), ...modes.map((mode) => pawlApi(method, mode))]);
  const contests = measured.map((entry) => ({ name: entry.name, entry, work: PLAIN_WORK, play }));
  const results = await measureInTurns(contests, harness, tries);
  const goals = METHODS.flatMap((method) =>
    modes.map((mode) => {
      const path = method === 'POST' ? 'POST /v1/turns' : 'GET /v1/turns/:id';
      const pair: [string, string] = [pawlApi(method, mode).name, bareApi(method).name];
      return atLeast(`on ${mode}: ${path} ÷ bare Hono route`, GOAL, ratio(results, pair));
    }),
  );
  return { text: figuresTable(results, 'request'), goals };
};

import { parseArgs } from 'node:util';
import { caughtAs, describeVerdict } from './explore/describe-verdict.ts';
import type { Exploration, Mutant } from './suite.ts';
import { suites } from './suites.ts';

const HELP = `npm run model -- [options]      plays the protocol in all orders and prints the verdict; exit code 1 if
                                a scene is not safe, is not played to its end, or a mutant is not caught
  --faults <n>       so many faults of any kinds in one turn, 3 at most (1)
  --only <a,b,…>     of these kinds only
  --scene <name>     one scene of the turn (tools, client, approval, handed, adopted, invalid, retry, next, short,
                     continues, rescuerOff), or one small model: ${Object.keys(suites).slice(1).join(', ')} (all)
  --states <n>       states of one scene at most (4000000)
  --seconds <n>      seconds of one scene at most
  --mutants          the mutants instead`;

const text = { type: 'string' } as const;
const flag = { type: 'boolean', default: false } as const;
const { values } = parseArgs({
  options: {
    ...{ faults: { ...text, default: '1' }, only: text, scene: text, seconds: text },
    ...{ states: { ...text, default: '4000000' }, mutants: flag, help: flag },
  },
});

if (values.help) console.log(HELP);
else if (values.mutants) for (const suite of Object.values(suites)) suite.mutants.forEach(playMutant);
else playScenes();

function playScenes(): void {
  const played = { each: Math.min(Number(values.faults), 3), only: values.only?.split(',') };
  const all = Object.values(suites).flatMap((suite) => suite.scenes(played));
  const chosen = all.filter(({ name }) => !values.scene || name.split(',')[0] === values.scene);
  if (chosen.length === 0) throw new Error(`Scene "${values.scene}" was not found. Choose one that --help names.`);
  for (const scene of chosen) if (play(scene) !== 'safe') process.exitCode = 1;
}

function playMutant({ name, caught, without, play: explore }: Mutant): void {
  const shown = play({ name: `without ${name}`, play: explore });
  if (shown === caught) return;
  console.log(`NOT CAUGHT as "${caught}": ${without}`);
  process.exitCode = 1;
}

function play({ name, play: explore }: Exploration): string {
  const startedAt = performance.now();
  const seconds = () => (performance.now() - startedAt) / 1_000;
  const isOver = () => seconds() > Number(values.seconds ?? Number.POSITIVE_INFINITY);
  const verdict = explore({ maxStates: Number(values.states), isOver });
  const size = `${verdict.states.toLocaleString('en')} states, ${verdict.edges.toLocaleString('en')} edges`;
  console.log(`${name}: ${size}, ${seconds().toFixed(1)} s: ${describeVerdict(verdict)}`);
  return caughtAs(verdict);
}

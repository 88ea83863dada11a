import { type ScenarioName, scenarioNames } from '../read-options.ts';

/** What a run does not measure, so that its report does not suggest it. */
export function notMeasured(done: ScenarioName): string {
  const others = scenarioNames.filter((name) => name !== done && name !== 'against');
  return [
    done === 'scaling'
      ? 'Not measured: a network that loses or varies, more than one machine, a model that sends much,'
      : 'Not measured: a network (everything is on loopback), a model that sends much,',
    'a standby, a pooler, days of running.',
    `Other scenarios: ${others.map((name) => `--scenario ${name}`).join(', ')}.`,
  ].join('\n');
}

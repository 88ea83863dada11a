import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { knownMetrics, labelsOfSeries } from './known-metrics.ts';
import { readExpression } from './read-expression.ts';

const ROOT = new URL('../../', import.meta.url);
const read = (path: string) => readFileSync(new URL(path, ROOT), 'utf8');

type Panel = {
  id: number;
  type: string;
  title: string;
  description?: string;
  gridPos: { x: number; y: number; w: number; h: number };
  targets?: { refId: string; expr: string; datasource: { uid: string } }[];
};
type Dashboard = {
  schemaVersion: number;
  uid: string;
  panels: Panel[];
  templating: { list: { name: string; type: string }[] };
};
type Rule = {
  alert: string;
  expr: string;
  for: string;
  labels: Record<string, string>;
  annotations: Record<string, string>;
};
type Adapter = { rules: { external: { seriesQuery: string; metricsQuery: string; name: { as: string } }[] } };

const dashboard: Dashboard = JSON.parse(read('examples/operations/grafana-dashboard.json'));
const panels = dashboard.panels.filter(({ type }) => type !== 'row');
const { groups }: { groups: { name: string; rules: Rule[] }[] } = parse(
  read('examples/operations/prometheus-rules.yml'),
);
const rules = groups.flatMap((group) => group.rules);
const adapter: Adapter = parse(read('examples/operations/kubernetes/prometheus-adapter-values.yaml'));

const expressions = [
  ...panels.flatMap(({ title, targets = [] }) => targets.map(({ expr }) => ({ where: `panel ${title}`, expr }))),
  ...rules.map(({ alert, expr }) => ({ where: `alert ${alert}`, expr })),
  ...adapter.rules.external.flatMap(({ seriesQuery, metricsQuery }) => [
    { where: 'adapter', expr: seriesQuery },
    { where: 'adapter', expr: metricsQuery.replace('<<.LabelMatchers>>', 'namespace="pawl"') },
  ]),
];

test.each(expressions)('$where asks for a known metric with a valid expression: $expr', ({ expr }) => {
  const { series, groupedBy, mistakes } = readExpression(expr);

  expect(mistakes).toEqual([]);
  expect(series.length).toBeGreaterThan(0);
  const labels = series.flatMap(({ name }) => labelsOfSeries(name) ?? []);
  expect(
    series.filter(({ name }) => !labelsOfSeries(name)).map(({ name }) => name),
    'no such metric',
  ).toEqual([]);
  expect(series.flatMap((one) => one.labels.filter((label) => !labelsOfSeries(one.name)?.includes(label)))).toEqual([]);
  expect(groupedBy.filter((label) => !labels.includes(label))).toEqual([]);
});

test('an expression with a typing error is a mistake', () => {
  expect(readExpression('sum(rate(pawl_turns_total[5m])').mistakes).not.toEqual([]);
  expect(readExpression('pawl_turn_total').series.map(({ name }) => labelsOfSeries(name))).toEqual([undefined]);
});

test('every metric has a panel, and counters and histograms are read as rates', () => {
  const asked = panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr));
  const unseen = Object.keys(knownMetrics).filter((name) => !asked.some((expr) => expr.includes(name)));
  const bare = expressions.filter(({ expr, where }) => where !== 'adapter' && /_(?:total|bucket|count)\b/.test(expr));

  expect(unseen).toEqual([]);
  expect(bare.filter(({ expr }) => !/(?:rate|increase)\(/.test(expr))).toEqual([]);
});

test('the dashboard has valid ids, positions and data sources for Grafana 11', () => {
  const cells = dashboard.panels.flatMap(({ gridPos: { x, y, w, h } }) =>
    Array.from({ length: w * h }, (_, cell) => `${x + (cell % w)} ${y + Math.floor(cell / w)}`),
  );

  expect(dashboard.schemaVersion).toBe(39);
  expect(dashboard.uid).toBe('pawl');
  expect(new Set(dashboard.panels.map(({ id }) => id)).size).toBe(dashboard.panels.length);
  expect(new Set(cells).size, 'panels overlap').toBe(cells.length);
  expect(Math.max(...dashboard.panels.map(({ gridPos: { x, w } }) => x + w))).toBe(24);
  expect(dashboard.templating.list.map(({ name, type }) => [name, type])).toEqual([
    ['datasource', 'datasource'],
    ['project', 'query'],
  ]);
  for (const { title, type, description, targets = [] } of panels) {
    expect(['timeseries', 'stat'], title).toContain(type);
    expect(description, `${title}: a sentence describes the panel`).toMatch(/\.$/);
    expect(targets.map(({ datasource }) => datasource.uid)).toEqual(targets.map(() => `\${datasource}`));
    expect(new Set(targets.map(({ refId }) => refId)).size).toBe(targets.length);
  }
});

test('each alert has a summary, and docs/alerts.md describes it', () => {
  const documented = read('docs/alerts.md').match(/(?<=^### )Pawl\w+$/gm);

  expect(documented).toEqual(rules.map(({ alert }) => alert));
  const [, section = ''] = read('docs/operations.md').split('\n## Alerts\n');
  const inShort = new Set(section.split('\n## ', 1)[0]?.match(/(?<=`)Pawl\w+(?=`)/g));
  expect([...inShort].sort()).toEqual(rules.map(({ alert }) => alert).sort());
  for (const { alert, labels, annotations, for: after } of rules) {
    expect(annotations.runbook).toBe(`docs/alerts.md#${alert.toLowerCase()}`);
    expect(annotations.summary, alert).toMatch(/[^.]$/);
    expect(['page', 'ticket'], alert).toContain(labels.severity);
    expect(after, alert).toMatch(/^\d+m$/);
  }
});

test('the rules read the jobs that Prometheus scrapes', () => {
  for (const file of ['prometheus.yml', 'kubernetes/prometheus.yml']) {
    const config = parse(read(`examples/operations/${file}`), { merge: true });
    const jobs: { job_name: string; authorization: unknown }[] = config.scrape_configs;

    expect(jobs.map(({ job_name }) => job_name).every((name) => name.startsWith('pawl-'))).toBe(true);
    expect(jobs.every(({ authorization }) => authorization)).toBe(true);
    expect(config.rule_files[0]).toMatch(/prometheus-rules\.yml$/);
  }
});

test.skipIf(!isThere('promtool'))('promtool accepts the rules, and its tests of the alerts pass', () => {
  const folder = fileURLToPath(new URL('examples/operations', ROOT));
  const promtool = (...args: string[]) => execFileSync('promtool', args, { cwd: folder, encoding: 'utf8' });

  expect(promtool('check', 'rules', 'prometheus-rules.yml')).toContain(`SUCCESS: ${rules.length} rules found`);
  expect(promtool('test', 'rules', 'prometheus-rules.test.yml')).toContain('SUCCESS');
});

function isThere(command: string): boolean {
  try {
    execFileSync(command, ['--version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

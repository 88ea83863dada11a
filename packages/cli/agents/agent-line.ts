import { isDeepStrictEqual, styleText } from 'node:util';
import type { Agent, AgentLabel } from '../../client/connect-pawl.ts';
import { timeOf } from '../lists/show-lines.ts';
import { type DiffLine, diffLines } from './diff-lines.ts';

/** A field that differs between two versions of an agent. An absent field is null. */
export type ChangedField = { field: string; from: unknown; to: unknown };

const COLOURS = { ' ': 'dim', '-': 'red', '+': 'green' } as const;

/** Returns a line with an agent: name, version, labels, model and time of creation. */
export function agentLine({ name, version, labels, config, created_at }: Agent): string {
  const targets = Object.entries(labels).map(([label, target]) => `${label}=${targetOf(target)}`);
  return [`${name}@${version}`, ...targets, config.model ?? '–', styleText('dim', timeOf(created_at))].join('  ');
}

/** Returns the same line, the id, and a line for each field. Instructions are last, with their own lines. */
export function wholeAgent(agent: Agent): string {
  const { instructions, ...fields } = agent.config;
  const lines = Object.entries({ id: agent.id, ...fields }).map(([field, value]) => `  ${field}: ${textOf(value)}`);
  const text = instructions ? ['  instructions:', ...instructions.split('\n').map((line) => `    ${line}`)] : [];
  return [agentLine(agent), ...lines, ...text].join('\n');
}

/** Returns a line with a version of an agent, and the labels that name the version. */
export function versionLine({ name, version, labels, config, version_created_at }: Agent): string {
  const named = Object.entries(labels).flatMap(([label, target]) => {
    if ('version' in target) return target.version === version ? [label] : [];
    const weight = target.versions[version];
    return weight === undefined ? [] : [`${label}:${weight}`];
  });
  return [`${name}@${version}`, timeOf(version_created_at), config.model ?? '–', ...named].join('  ');
}

/** Returns the fields that differ between two versions. */
export function changedFields({ config: before }: Agent, { config: after }: Agent): ChangedField[] {
  const [old, next] = [new Map(Object.entries(before)), new Map(Object.entries(after))];
  return [...new Set([...old.keys(), ...next.keys()])]
    .map((field) => ({ field, from: old.get(field) ?? null, to: next.get(field) ?? null }))
    .filter(({ from, to }) => !isDeepStrictEqual(from, to));
}

/** Returns a line with a changed field. For instructions, returns their changed lines. */
export function changeLine({ field, from, to }: ChangedField): string {
  if (field !== 'instructions') return `${field}: ${textOf(from)} → ${textOf(to)}`;
  return [`${field}:`, ...diffLines(linesOf(from), linesOf(to)).map(markedLine)].join('\n');
}

const linesOf = (text: unknown) => (typeof text === 'string' ? text.split('\n') : []);

function markedLine({ mark, line }: DiffLine): string {
  return styleText(COLOURS[mark], `${mark} ${line}`.trimEnd());
}

function targetOf(target: AgentLabel): string {
  if ('version' in target) return String(target.version);
  return Object.entries(target.versions)
    .map(([version, weight]) => `${version}:${weight}`)
    .join(',');
}

function textOf(value: unknown): string {
  if (value === null) return 'default';
  return typeof value === 'string' ? value : JSON.stringify(value);
}

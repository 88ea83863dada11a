import { readFileSync } from 'node:fs';
import { InvalidArgumentError } from 'commander';
import type { AgentChanges, AgentLabel } from '../../client/connect-pawl.ts';
import { readObject } from '../read-values.ts';

const LABEL_FORM = 'Give a version, such as 7, or versions with weights: 7=90 8=10.';

/** Reads the configuration of an agent from a file. The API checks its fields. */
export function readAgentFile(path: string): AgentChanges {
  const config = readObject(readText(path));
  if (!config) throw new InvalidArgumentError('The file has no JSON object. Name a file with fields of an agent.');
  return config as AgentChanges;
}

/** Reads the target of a label: `7`, or `7=90` and `8=10`. */
export function readAgentLabel(words: string[]): AgentLabel {
  const [first = ''] = words;
  if (words.length === 1 && /^\d{1,9}$/.test(first)) return { version: Number(first) };
  const versions: Record<string, number> = {};
  for (const word of words) {
    const [, version, weight] = /^(\d{1,9})=(\d{1,9})$/.exec(word) ?? [];
    if (version === undefined) throw new InvalidArgumentError(LABEL_FORM);
    if (version in versions) throw new InvalidArgumentError('Give each version once.');
    versions[version] = Number(weight);
  }
  return { versions };
}

function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    throw new InvalidArgumentError('The file cannot be read. Name a JSON file.');
  }
}

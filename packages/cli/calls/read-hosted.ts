import { InvalidArgumentError } from 'commander';
import type { TurnRequest } from '../../client/connect-pawl.ts';
import { readObject } from '../read-values.ts';

type GivenTool = NonNullable<TurnRequest['tools']>[number];
type HostedTool = Exclude<GivenTool, string | { name: string }>;

const KINDS: Record<HostedTool['type'], true> = {
  ...{ web_search: true, web_fetch: true, code_execution: true, file_search: true, image_generation: true },
};

/** Adds a tool of the provider, written `web_search` or `web_search={…}` with its options, to the tools before. */
export function readHosted(given: string, before: HostedTool[] = []): HostedTool[] {
  const [, name = '', json] = /^([^=]*)(?:=(.*))?$/s.exec(given) ?? [];
  if (!isKind(name)) throw new InvalidArgumentError(`Use ${Object.keys(KINDS).join(', ')}.`);
  if (before.some(({ type }) => type === name)) throw new InvalidArgumentError('Give each tool of the provider once.');
  if (json === undefined) return [...before, { type: name }];
  const options = readObject(json);
  if (!options) throw new InvalidArgumentError(`Write the options as a JSON object: ${name}={"name":"value"}.`);
  return [...before, { type: name, options }];
}

function isKind(name: string): name is HostedTool['type'] {
  return Object.hasOwn(KINDS, name);
}

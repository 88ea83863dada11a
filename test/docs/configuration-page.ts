import { writeFileSync } from 'node:fs';
import { ABOUT, type About } from '#services/process/settings/about.ts';
import { OTHER_VARIABLES } from '#services/process/settings/other-variables.ts';
import { VARIABLES } from '#services/process/settings/variables.ts';
import { wrapEntry } from './wrap-entry.ts';

const FILE = new URL('../../docs/configuration.md', import.meta.url);

/** Returns docs/configuration.md: each variable with its default, its unit and its meaning. */
export function configurationPage(): string {
  const sections = new Set([...Object.keys(VARIABLES), ...Object.keys(OTHER_VARIABLES)]);
  return [...HEAD, ...[...sections].flatMap((section) => ['', `## ${section}`, '', ...entriesOf(section)]), ''].join(
    '\n',
  );
}

const HEAD = [
  '# Configuration',
  '',
  'Pawl reads these environment variables. An empty variable counts as absent. Each process (API, worker, migration and',
  '`npm start`) also reads a file `.env` in its working directory. The environment takes precedence over the file.',
  '',
  'A process refuses an invalid value at its start and names the variable. It warns of an unknown `PAWL_` variable.',
  '',
  'The settings in `services/process/settings/` are the source: `node test/docs/configuration-page.ts` writes this page.',
];

function entriesOf(section: string): string[] {
  const read = Object.entries((VARIABLES as Record<string, object>)[section] ?? {}).map(([name, form]) => {
    const about = ABOUT.get(form);
    if (!about) throw new Error(`${name} is not documented`);
    return entryOf(name, { absent: defaultOf(form), ...about });
  });
  const others = Object.entries((OTHER_VARIABLES as Record<string, Record<string, About>>)[section] ?? {});
  return [...read, ...others.map(([name, about]) => entryOf(name, about))].flat();
}

function defaultOf(form: { parse(value: undefined): unknown }): string {
  return `\`${form.parse(undefined)}\``;
}

function entryOf(name: string, { meaning, unit, absent }: About): string[] {
  const unitText = unit ? `, in ${unit}` : '';
  return wrapEntry(`- **\`${name}\`** (default: ${absent}${unitText}): ${meaning}`);
}

if (import.meta.main) writeFileSync(FILE, configurationPage());

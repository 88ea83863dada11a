import { execFileSync } from 'node:child_process';
import { existsSync, globSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { newFolder } from '../harness/new-folder.ts';
import { mistakesOf } from './environment.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const FOLDER = join(ROOT, 'examples/operations/systemd');
const read = (file: string) => readFileSync(join(FOLDER, file), 'utf8');

/** Returns the entries of a unit or of an environment file, with repeats. */
const entriesOf = (text: string) =>
  [...text.matchAll(/^([A-Za-z_]\w*)=(.*)$/gm)].map(([, name = '', value = '']) => [name, value] as const);

const units = globSync('*.service', { cwd: FOLDER }).map((file) => {
  const text = read(file).replaceAll('%i', '1');
  const settings = Object.fromEntries(entriesOf(text));
  return { file, text, settings };
});
const shared = Object.fromEntries(entriesOf(read('pawl.env')));
const environmentOf = (settings: Record<string, string>) => {
  const own = (settings.Environment ?? '').split(' ').filter(Boolean);
  return { ...shared, ...Object.fromEntries(own.map((pair) => pair.split('=') as [string, string])) };
};

test.each(units)('$file runs a part of Pawl, with only variables that the part reads', ({ settings }) => {
  const [program = '', file = ''] = settings.ExecStart?.split(' ') ?? [];

  expect(readFileSync(join(ROOT, file), 'utf8')).toContain('runProcess(');
  expect(program).toBe(`${settings.WorkingDirectory}/node_modules/.bin/node`);
  expect(settings.EnvironmentFile).toBe('/etc/pawl/pawl.env');
  expect(mistakesOf(environmentOf(settings))).toEqual([]);
});

test('systemd units restart, reload their projects, and stop later than their grace', () => {
  const running = units.filter(({ settings }) => settings.Type !== 'oneshot');

  expect(running.map(({ file }) => file).sort()).toEqual(['pawl-api.service', 'pawl-worker@.service']);
  for (const { settings } of running) {
    const graceS = Number(shared.PAWL_SHUTDOWN_GRACE_MS) / 1_000;
    expect(settings).toMatchObject({
      ...{ Restart: 'always', KillSignal: 'SIGTERM', KillMode: 'mixed', ExecReload: '/bin/kill -HUP $MAINPID' },
      TimeoutStopSec: `${graceS + 15}s`,
    });
  }
});

test.skipIf(!existsSync('/usr/bin/systemd-analyze'))(
  'systemd accepts the units, and rates them as confined',
  async () => {
    await using folder = await newFolder('units');
    for (const { file, text } of units) {
      const here = text.replaceAll('/opt/pawl/node_modules/.bin/node', process.execPath).replaceAll('/opt/pawl', ROOT);
      writeFileSync(join(folder.path, file.replace('@', '@1')), here);
    }
    const analyze = (...args: string[]) =>
      execFileSync('systemd-analyze', args, { cwd: folder.path, encoding: 'utf8' });

    for (const { file } of units) {
      const unit = `./${file.replace('@', '@1')}`;
      expect(analyze('verify', '--man=no', unit)).toBe('');
      // The scale has 100. A unit without settings is at 9.6 of 10.
      expect(analyze('security', '--offline=true', '--threshold=20', unit)).toContain('OK');
    }
  },
);

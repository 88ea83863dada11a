import { globSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { readSettings } from '#services/process/settings.ts';
import { composeMistakes } from './compose-mistakes.ts';

const ROOT = new URL('../../', import.meta.url);
const read = (path: string) => readFileSync(new URL(path, ROOT), 'utf8');

/** One service of the file, as far as the tests read it. */
type Service = {
  image: string;
  user?: string;
  restart: string;
  read_only?: boolean;
  tmpfs?: string[];
  cap_drop?: string[];
  security_opt?: string[];
  mem_limit?: string;
  pids_limit?: number;
  ports?: string[];
  volumes?: string[];
  command?: string[];
  environment?: Record<string, string | number>;
  healthcheck?: { test?: string[]; disable?: boolean };
};

const text = read('docker-compose.yml');
const compose: { services: Record<string, Service> } = parse(text, { merge: true });
const services = Object.entries(compose.services);
const parts = ['migrate', 'api', 'worker'].map((name) => compose.services[name]!);

/** The value that Compose makes where nothing is set, or the sentence it stops with. */
const unset = (value: unknown) =>
  String(value).replace(/\$\{(\w+)(?::([-?])([^}]*))?\}/g, (_, name, kind, rest) =>
    kind === '?' ? `!${name}: ${rest}` : (rest ?? ''),
  );

/** Variables of a process that are not for a container, with the reason. */
const ELSEWHERE = new Map([
  ['HOST', 'of the host: PUBLISH'],
  ['PAWL_DEMO_JOURNAL', 'the demo runs on the host'],
  ['PAWL_ENV_FILE', 'Compose reads a file .env itself'],
  ['PORT', 'of the host: PUBLISH'],
  ['DATABASE_URL', 'the database is a service'],
  ['REDIS_URL', 'the queue is a service'],
  ['PAWL_DATA_DIR', 'no embedded PostgreSQL in the image'],
  ['PAWL_API_KEY', 'of the command line'],
  ['PAWL_URL', 'of the command line'],
]);
const VARIABLE = /\b(?:PAWL_[A-Z_]+|[A-Z]+_(?:API_KEY|BASE_URL))\b/g;

test('the file is one that Compose takes', () => {
  expect(composeMistakes(parse(text, { merge: true }))).toBeNull();
});

test('every variable that a process reads, and every one of the README, is passed on to the API and the workers', () => {
  const sources = globSync(['services/**/*.ts', 'packages/core/**/*.ts'], { cwd: ROOT }).map(read);
  const inSource = sources.flatMap((source) => source.match(VARIABLE) ?? []);
  const rows = read('README.md').match(/^\| `.*$/gm) ?? [];
  const inReadme = rows.flatMap((row) => row.split('|')[1]?.match(/\b[A-Z]+_[A-Z_]+\b/g) ?? []);
  const known = [...new Set([...inSource, ...inReadme])].filter((name) => !ELSEWHERE.has(name)).sort();

  expect(known).toContain('PAWL_TOOL_RULES');
  for (const name of ['api', 'worker']) {
    const environment = compose.services[name]?.environment ?? {};
    const missing = known.filter((variable) => !String(environment[variable] ?? '').startsWith(`\${${variable}:`));
    expect(missing, `add to x-settings in docker-compose.yml: NAME: $\{NAME:-} (${name})`).toEqual([]);
    const unknown = Object.keys(environment).filter(
      (variable) => !known.includes(variable) && !ELSEWHERE.has(variable),
    );
    expect(unknown, `no process reads it (${name})`).toEqual([]);
  }
});

test('a variable that is not set has the default of the process, for all but the one that is required', () => {
  const given = Object.entries(compose.services.api?.environment ?? {}).map(([name, value]) => [name, unset(value)]);
  const { DATABASE_URL: _, REDIS_URL: __, HOST: ___, ...rest } = Object.fromEntries(given);
  const { HOST: ____, ...defaults } = readSettings({});

  expect(readSettings(rest)).toMatchObject(defaults);
  expect(unset(compose.services.postgres?.environment?.POSTGRES_PASSWORD)).toMatch(/^!POSTGRES_PASSWORD: give/);
  expect(text.match(/\$\{(?:POSTGRES_PASSWORD|PAWL_API_KEYS|\w*SECRET\w*):-[^}]/g), 'no password in sight').toBeNull();
});

test('only the API is open, and to this machine alone by default', () => {
  const open = services.flatMap(([name, { ports = [] }]) => ports.map((port) => [name, unset(port)]));

  expect(open).toEqual([['api', '127.0.0.1:8080:8080']]);
});

test.each(services)('%s is confined: no rights, no file to change, bounds, an exact image', (name, service) => {
  expect(service).toMatchObject({ read_only: true, cap_drop: ['ALL'], security_opt: ['no-new-privileges:true'] });
  expect(service.tmpfs).toContain('/tmp');
  expect(service.pids_limit).toBeGreaterThan(0);
  expect(unset(service.mem_limit)).toMatch(/^\d+[mg]$/);
  // Without rights, an image cannot become another user by itself.
  if (service.image !== 'pawl') expect(service.user).toBe(name);
  if (service.image !== 'pawl') expect(service.image).toMatch(/^\w+:\d+\.\d+(\.\d+)?(@sha256:[0-9a-f]{64})?$/);
  expect(service.healthcheck?.test ?? service.healthcheck?.disable ?? name).toBeTruthy();
});

test('each part runs a file of the image, with a folder for tools that exists', () => {
  const copied = [...read('Dockerfile').matchAll(/^COPY (\w+) \1$/gm)].map(([, folder]) => folder);

  for (const { command = [], volumes = [] } of parts) {
    const [, file = ''] = command;
    expect(copied).toContain(file.split('/')[0]);
    expect(read(file)).toContain('runProcess(');
    expect(volumes.map(unset)).toEqual(['./examples:/tools:ro']);
  }
});

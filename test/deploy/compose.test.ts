import { globSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { readSettings } from '#services/process/settings.ts';
import { composeMistakes } from './compose-mistakes.ts';

const ROOT = new URL('../../', import.meta.url);
const read = (path: string) => readFileSync(new URL(path, ROOT), 'utf8');

/** The fields of a service that the tests read. */
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

/** Returns the value that Compose gives an unset variable, or the sentence that it stops with. */
const unset = (value: unknown) =>
  String(value).replace(/\$\{(\w+)(?::([-?])([^}]*))?\}/g, (_, name, kind, rest) =>
    kind === '?' ? `!${name}: ${rest}` : (rest ?? ''),
  );

/** Variables of a process that a container does not get, with the reason. */
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

test('docker-compose.yml is a valid Compose file', () => {
  expect(composeMistakes(parse(text, { merge: true }))).toBeNull();
});

test('docker-compose.yml passes all documented variables to the API and the workers', () => {
  const sources = globSync(['services/**/*.ts', 'packages/core/**/*.ts'], { cwd: ROOT }).map(read);
  const inSource = sources.flatMap((source) => source.match(VARIABLE) ?? []);
  const documented = [...read('docs/configuration.md').matchAll(/^- \*\*`(\w+)`/gm)].map(([, name = '']) => name);
  const known = documented.filter((name) => !ELSEWHERE.has(name)).sort();

  expect(inSource.filter((name) => !documented.includes(name))).toEqual([]);
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

test('an unset variable in docker-compose.yml has the default of the process', () => {
  const given = Object.entries(compose.services.api?.environment ?? {}).map(([name, value]) => [name, unset(value)]);
  const { DATABASE_URL: _, REDIS_URL: __, HOST: ___, ...rest } = Object.fromEntries(given);
  const { HOST: ____, ...defaults } = readSettings({});

  expect(readSettings(rest)).toMatchObject(defaults);
  expect(unset(compose.services.postgres?.environment?.POSTGRES_PASSWORD)).toMatch(/^!POSTGRES_PASSWORD: give/);
  expect(text.match(/\$\{(?:POSTGRES_PASSWORD|PAWL_API_KEYS|\w*SECRET\w*):-[^}]/g), 'no password in sight').toBeNull();
});

test('docker-compose.yml publishes only the API, on 127.0.0.1 by default', () => {
  const open = services.flatMap(([name, { ports = [] }]) => ports.map((port) => [name, unset(port)]));

  expect(open).toEqual([['api', '127.0.0.1:8080:8080']]);
});

test.each(services)('%s in docker-compose.yml has no rights, a read-only disk and an exact image', (name, service) => {
  expect(service).toMatchObject({ read_only: true, cap_drop: ['ALL'], security_opt: ['no-new-privileges:true'] });
  expect(service.tmpfs).toContain('/tmp');
  expect(service.pids_limit).toBeGreaterThan(0);
  expect(unset(service.mem_limit)).toMatch(/^\d+[mg]$/);
  // Without rights, an image cannot switch its user.
  if (service.image !== 'pawl') expect(service.user).toBe(name);
  if (service.image !== 'pawl') expect(service.image).toMatch(/^\w+:\d+\.\d+(\.\d+)?(@sha256:[0-9a-f]{64})?$/);
  expect(service.healthcheck?.test ?? service.healthcheck?.disable ?? name).toBeTruthy();
});

test('each part in docker-compose.yml runs a file of the image, with a tool folder', () => {
  const copied = [...read('Dockerfile').matchAll(/^COPY (\w+) \1$/gm)].map(([, folder]) => folder);

  for (const { command = [], volumes = [] } of parts) {
    const [, file = ''] = command;
    expect(copied).toContain(file.split('/')[0]);
    expect(read(file)).toContain('runProcess(');
    expect(volumes.map(unset)).toEqual(['./examples:/tools:ro']);
  }
});

import { accessSync, constants, globSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { hostsOf } from '#core/postgres/hosts.ts';
import { parseRedisUrl } from '#core/redis-url.ts';
import { readSettings } from '#services/process/settings.ts';
import { composeMistakes } from './compose-mistakes.ts';

const ROOT = new URL('../../', import.meta.url);
const FOLDER = 'examples/operations/compose';
const read = (path: string) => readFileSync(new URL(path, ROOT), 'utf8');

type Service = {
  image?: string;
  user?: string;
  mem_limit?: string;
  entrypoint?: string[];
  command?: string[];
  environment?: Record<string, string>;
  volumes?: string[];
  ports?: string[];
  healthcheck?: object;
  depends_on?: Record<string, { condition: string }>;
};
type ComposeFile = { services: Record<string, Service>; volumes: Record<string, null> };

const base: ComposeFile = parse(read('docker-compose.yml'), { merge: true });
const added: ComposeFile = parse(read(`${FOLDER}/failover.yml`), { merge: true });
const services = Object.entries(added.services);
const names = [...new Set([...Object.keys(base.services), ...Object.keys(added.services)])];
const own = services.filter(([name]) => !base.services[name]);

test('failover.yml is a valid Compose file and names existing services and volumes', () => {
  const waitedFor = services.flatMap(([, { depends_on = {} }]) => Object.keys(depends_on));
  const mounts = services.flatMap(([, { volumes = [] }]) => volumes.map((volume) => volume.split(':')[0]!));
  const kept = { ...base.volumes, ...added.volumes };

  expect(composeMistakes(added)).toBeNull();
  expect(waitedFor.filter((name) => !names.includes(name))).toEqual([]);
  expect(mounts.filter((mount) => !mount.startsWith('./') && !(mount in kept))).toEqual([]);
  expect(services.flatMap(([, { ports = [] }]) => ports)).toEqual([]);
});

test.each(['migrate', 'api', 'worker'])('%s in failover.yml gets valid URLs of stores in the file', (part) => {
  const environment = { ...added.services[part]?.environment };
  const { DATABASE_URL = '', REDIS_URL = '' } = environment;
  const database = hostsOf(DATABASE_URL.replace('$' + '{POSTGRES_PASSWORD}', 'secret')) ?? [];
  const redis = parseRedisUrl(REDIS_URL);
  const sentinels = redis.kind === 'sentinel' ? redis.nodes : [];

  expect(Object.keys(environment)).toEqual(['DATABASE_URL', 'REDIS_URL']);
  expect(database.map(({ url }) => new URL(url).hostname)).toEqual(['postgres', 'postgres-standby']);
  expect(sentinels.map(({ host }) => host)).toEqual(['sentinel-1', 'sentinel-2', 'sentinel-3']);
  expect(read(`${FOLDER}/start-sentinel.sh`)).toContain(
    `sentinel monitor ${redis.kind === 'sentinel' && redis.master} `,
  );
  expect(() => readSettings(environment)).not.toThrow();
});

test.each(own)('%s in failover.yml has the same limits and image as in docker-compose.yml', (_, service) => {
  const like = base.services[service.image?.split(':')[0] ?? ''];

  expect(service).toMatchObject({ restart: 'unless-stopped', read_only: true, cap_drop: ['ALL'], pids_limit: 256 });
  expect(service).toMatchObject({ security_opt: ['no-new-privileges:true'], image: like?.image, user: like?.user });
  expect(service.mem_limit).toMatch(/^\d+[mg]$/);
  expect(service.healthcheck).toBeDefined();
});

test('each script of failover.yml is mounted, executable and run', () => {
  const run = services.flatMap(([, { entrypoint = [], command = [] }]) => [...entrypoint, ...command]);
  const mounted = services.flatMap(([, { volumes = [] }]) => volumes.filter((volume) => volume.startsWith('./')));
  const scripts = globSync('*.sh', { cwd: new URL(FOLDER, ROOT) });

  expect(scripts.length).toBeGreaterThan(3);
  for (const script of scripts) {
    const isMounted = mounted.some((mount) => mount.startsWith(`./${FOLDER}/${script}:/docker-entrypoint-initdb.d/`));
    expect(isMounted || run.includes(`/examples/${script}`), script).toBe(true);
    accessSync(fileURLToPath(new URL(`${FOLDER}/${script}`, ROOT)), constants.X_OK);
  }
  for (const [name, { entrypoint, command, volumes = [] }] of services) {
    const isScript = [...(entrypoint ?? []), ...(command ?? [])].some((word) => word.startsWith('/examples/'));
    if (isScript) expect(volumes, name).toContain(`./${FOLDER}:/examples:ro`);
  }
});

test('the settings of Redis in failover.yml are those of docker-compose.yml', () => {
  const flags = (base.services.redis?.command ?? []).join(' ');
  const script = read(`${FOLDER}/start-redis.sh`);

  for (const [, name, value] of flags.matchAll(/--(\S+) (\S+)/g)) expect(script).toContain(`\n${name} ${value}\n`);
});

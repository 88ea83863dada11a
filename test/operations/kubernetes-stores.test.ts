import { readFileSync } from 'node:fs';
import { Cluster } from '@kubernetes-models/cloudnative-pg/postgresql.cnpg.io/v1/Cluster';
import { Pod, Secret } from 'kubernetes-models/v1';
import { expect, test } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { parseRedisUrl } from '#core/redis-url.ts';
import { compileManifests } from './compile-manifests.ts';
import { mistakesOf } from './environment.ts';

const FOLDER = new URL('../../examples/operations/kubernetes/', import.meta.url);

/** The fields of a manifest that the tests read. */
type Manifest = {
  apiVersion: string;
  kind: string;
  metadata: { name: string; namespace: string };
  stringData: Record<string, string>;
  spec: {
    bootstrap: { initdb: { database: string; owner: string; secret: { name: string } } };
    postgresql: { synchronous: object; parameters: Record<string, string> };
    kubernetesConfig: { resources: object; redisSecret?: { name: string; key: string } };
    redisConfig: { dynamicConfig: string[] };
    redisSentinelConfig: {
      masterGroupName: string;
      redisReplicationName: string;
      redisReplicationPassword: { secretKeyRef: { name: string; key: string } };
    };
    storage: { volumeClaimTemplate: object };
    podSecurityContext: object;
    securityContext: object;
    topologySpreadConstraints?: object[];
    replicas: number;
    maxReplicas: number;
  };
};

const manifestsOf = (file: string) =>
  parseAllDocuments(readFileSync(new URL(file, FOLDER), 'utf8')).map((document) => {
    expect(document.errors, file).toEqual([]);
    return document.toJS() as Manifest;
  });
const [postgres] = manifestsOf('stores/postgres.yaml') as [Manifest];
const [replication, sentinel] = manifestsOf('stores/redis.yaml') as [Manifest, Manifest];
const secrets = manifestsOf('stores/secrets.example.yaml');
const valuesOf = (name: string) => secrets.find(({ metadata }) => metadata.name === name)!.stringData;
const { DATABASE_URL = '', REDIS_URL = '', ...others } = valuesOf('pawl-secrets');

/** Pods with the fields that the operator of Redis copies into pods. Its other fields have no schema here. */
const pods = [replication, sentinel].map(({ metadata, spec }) => {
  const { kubernetesConfig, podSecurityContext, securityContext, topologySpreadConstraints } = spec;
  const container = { name: 'redis', image: 'redis', securityContext, resources: kubernetesConfig.resources };
  const pod = { securityContext: podSecurityContext, containers: [container], topologySpreadConstraints };
  return { apiVersion: 'v1' as const, kind: 'Pod' as const, metadata, spec: pod };
});

test('the store manifests are valid by the schemas of Kubernetes and CloudNativePG', () => {
  expect(() => new Cluster(postgres as never).validate()).not.toThrow();
  for (const secret of secrets) expect(() => new Secret(secret as never).validate()).not.toThrow();
  for (const pod of pods) expect(() => new Pod(pod as never).validate()).not.toThrow();
  for (const { metadata } of [postgres, replication, sentinel, ...secrets]) expect(metadata.namespace).toBe('pawl');
});

test('the store manifests have no unknown field', async () => {
  const all = [postgres, ...secrets, ...pods];

  expect(await compileManifests(all)).toBe('');
  expect(await compileManifests(all, (text) => text.replace('"failoverQuorum"', '"failoverQorum"'))).toContain(
    'failoverQorum',
  );
});

test('DATABASE_URL in the manifests names the cluster, with commits on a second disk', () => {
  const { bootstrap, postgresql } = postgres.spec;
  const { username, password } = valuesOf(bootstrap.initdb.secret.name);
  const url = new URL(DATABASE_URL);

  expect(url.hostname).toBe(`${postgres.metadata.name}-rw`);
  expect(url.pathname).toBe(`/${bootstrap.initdb.database}`);
  expect([url.username, url.password]).toEqual([username, password]);
  expect(bootstrap.initdb.owner).toBe(username);
  expect(postgresql.synchronous).toMatchObject({ number: 1, dataDurability: 'required', failoverQuorum: true });
});

test('max_connections in the manifests allows a replacement of all workers and APIs', () => {
  const [api] = manifestsOf('api.yaml') as [Manifest];
  const scaler = manifestsOf('worker.yaml').find(({ kind }) => kind === 'HorizontalPodAutoscaler')!;

  const wanted = 16 * 2 * (api.spec.replicas + scaler.spec.maxReplicas);
  expect(Number(postgres.spec.postgresql.parameters.max_connections)).toBeGreaterThanOrEqual(wanted + 3);
});

test('REDIS_URL in the manifests names the Sentinels, which have the password', () => {
  const { redisSentinelConfig } = sentinel.spec;
  const { redisSecret } = replication.spec.kubernetesConfig;
  const url = parseRedisUrl(REDIS_URL);

  expect(url).toMatchObject({
    kind: 'sentinel',
    nodes: [{ host: `${sentinel.metadata.name}-sentinel`, port: 26_379 }],
    master: redisSentinelConfig.masterGroupName,
    access: { password: valuesOf(redisSecret!.name)[redisSecret!.key] },
    sentinelAccess: {},
  });
  expect(redisSentinelConfig.redisReplicationName).toBe(replication.metadata.name);
  expect(redisSentinelConfig.redisReplicationPassword.secretKeyRef).toEqual(redisSecret);
  expect(replication.spec.redisConfig.dynamicConfig).toContain('maxmemory-policy noeviction');
});

test('the secret of Pawl has the values that the other manifests require', () => {
  const [example] = manifestsOf('secrets.example.yaml') as [Manifest];

  expect(Object.keys(valuesOf('pawl-secrets'))).toEqual(Object.keys(example.stringData));
  expect(mistakesOf({ DATABASE_URL, REDIS_URL, ...others })).toEqual([]);
});

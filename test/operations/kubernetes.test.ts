import { globSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import * as apps from 'kubernetes-models/apps/v1';
import * as autoscaling from 'kubernetes-models/autoscaling/v2';
import * as batch from 'kubernetes-models/batch/v1';
import * as policy from 'kubernetes-models/policy/v1';
import * as core from 'kubernetes-models/v1';
import { expect, test } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { directUrlOf, readSettings, requireDatabase } from '#services/process/settings.ts';
import { compileManifests } from './compile-manifests.ts';
import { mistakesOf } from './environment.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const FOLDER = join(ROOT, 'examples/operations/kubernetes');
const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));

type SecretKey = { name: string; key: string; optional?: boolean };
type Variable = { name: string; value?: string; valueFrom?: { secretKeyRef: SecretKey } };
type Probe = { httpGet: { path: string; port: string } };
type Container = {
  image: string;
  command: string[];
  env: Variable[];
  envFrom?: { configMapRef?: { name: string }; secretRef?: { name: string } }[];
  ports?: { name: string; containerPort: number }[];
  securityContext: object;
  resources: object;
  startupProbe?: Probe;
  livenessProbe?: Probe;
  readinessProbe?: Probe;
  lifecycle?: { preStop: { sleep: { seconds: number } } };
  volumeMounts?: { name: string; mountPath: string }[];
};
type PodSpec = {
  containers: [Container];
  securityContext: object;
  terminationGracePeriodSeconds?: number;
  volumes?: { name: string }[];
};
type Manifest = {
  apiVersion: string;
  kind: string;
  metadata: { name: string; namespace?: string; labels: Record<string, string> };
  data?: Record<string, string>;
  stringData?: Record<string, string>;
  spec: {
    template: { metadata: { labels: object }; spec: PodSpec };
    selector: { matchLabels?: object };
    metrics: { external: { metric: { name: string }; target: { averageValue: string } } }[];
    scaleTargetRef: { kind: string; name: string };
  };
};

const files = globSync('*.yaml', { cwd: FOLDER }).filter((file) => !file.endsWith('-values.yaml'));
const manifests = files.flatMap((file) =>
  parseAllDocuments(readFileSync(join(FOLDER, file), 'utf8')).map((document) => {
    expect(document.errors, file).toEqual([]);
    return { file, manifest: document.toJS() as Manifest };
  }),
);
const named = manifests.map(({ file, manifest }) => ({
  file,
  manifest,
  title: `${manifest.kind} ${manifest.metadata.name}`,
}));
const find = (kind: string, name: string) =>
  named.find(({ manifest }) => manifest.kind === kind && manifest.metadata.name === name)!.manifest;

const MODELS = { 'apps/v1': apps, 'autoscaling/v2': autoscaling, 'batch/v1': batch, 'policy/v1': policy, v1: core };

test.each(named)('$title is valid by the schema of Kubernetes', ({ manifest }) => {
  const models = MODELS[manifest.apiVersion as keyof typeof MODELS] as unknown as Record<
    string,
    new (
      data: object,
    ) => core.Pod
  >;
  const Model = models[manifest.kind]!;

  expect(() => new Model(manifest).validate()).not.toThrow();
});

test('no manifest has a field that is unknown to Kubernetes', async () => {
  const all = named.map(({ manifest }) => manifest);

  expect(await compileManifests(all)).toBe('');
  expect(await compileManifests(all, (text) => text.replace('"minAvailable"', '"minAvailible"'))).toContain(
    'minAvailible',
  );
});

const parts = [
  { part: 'migrate', owner: find('Job', 'pawl-migrate') },
  { part: 'api', owner: find('Deployment', 'pawl-api') },
  { part: 'worker', owner: find('Deployment', 'pawl-worker') },
].map(({ part, owner }) => ({
  part,
  owner,
  pod: owner.spec.template.spec,
  container: owner.spec.template.spec.containers[0],
}));

test.each(parts)(
  '$part in the manifests runs a file of the image with a read-only disk',
  ({ part, pod, container }) => {
    const dockerfile = readFileSync(join(ROOT, 'Dockerfile'), 'utf8');
    const [node, file = ''] = container.command;

    expect([node, file]).toEqual(['node', `services/${part}/main.ts`]);
    expect(readFileSync(join(ROOT, file), 'utf8')).toContain('runProcess(');
    expect(basename(container.image)).toBe(`pawl:${version}`);
    // The official image of Node makes this user with number 1000.
    expect(dockerfile).toMatch(/^USER node$/m);
    expect(pod).toMatchObject({
      automountServiceAccountToken: false,
      securityContext: { runAsNonRoot: true, runAsUser: 1000, seccompProfile: { type: 'RuntimeDefault' } },
    });
    expect(container.securityContext).toEqual({
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
    });
    expect(container.resources).toMatchObject({ requests: { cpu: /m$/, memory: /Mi$/ }, limits: { memory: /i$/ } });
    expect(container.volumeMounts?.map(({ name }) => name)).toEqual(pod.volumes?.map(({ name }) => name));
  },
);

test.each(parts)(
  '$part in the manifests gets only variables that it reads, with valid values',
  ({ part, container }) => {
    const environment = environmentOf(container);

    expect(environment.DATABASE_URL).toMatch(/^postgres:/);
    expect(mistakesOf(environment)).toEqual([]);
    if (part !== 'migrate') expect(environment).toMatchObject({ HOST: '0.0.0.0', PAWL_METRICS_KEY: 'change-me' });
    const projects = find('Secret', 'pawl-projects').stringData ?? {};
    const file = environment.PAWL_PROJECTS?.replace('@/etc/pawl/', '') ?? 'projects.json';
    expect(Object.keys(JSON.parse(projects[file]!))).toContain('operators');
  },
);

test.each(parts)('$part gets a direct URL if the secret names a pooler, else the plain URL', ({ container }) => {
  const pooled = {
    DATABASE_URL: 'postgres://pawl:change-me@pgbouncer:6432/pawl?pgbouncer=true',
    DATABASE_DIRECT_URL: 'postgres://pawl:change-me@postgres:5432/pawl',
  };
  const urlOf = (environment: Record<string, string>) => directUrlOf(requireDatabase(readSettings(environment)));

  expect(urlOf(environmentOf(container, pooled))).toBe(pooled.DATABASE_DIRECT_URL);
  expect(urlOf(environmentOf(container))).toBe(find('Secret', 'pawl-secrets').stringData?.DATABASE_URL);
});

/** Returns the environment of a container's process. `secrets` are added to those of the example. */
function environmentOf({ env, envFrom = [] }: Container, secrets = {}): Record<string, string> {
  const secret = (name: string): Record<string, string> => ({ ...find('Secret', name).stringData, ...secrets });
  const whole = envFrom.map(({ configMapRef, secretRef }) =>
    configMapRef ? find('ConfigMap', configMapRef.name).data : secret(secretRef!.name),
  );
  const single = env.flatMap(({ name, value, valueFrom }) => {
    if (!valueFrom) return [[name, value!]];
    const { name: from, key, optional } = valueFrom.secretKeyRef;
    const found = secret(from)[key];
    return found === undefined && optional ? [] : [[name, found!]];
  });
  return Object.assign({}, ...whole, Object.fromEntries(single));
}

test.each(parts.slice(1))(
  '$part in the manifests has probes, and a stop timeout above its grace',
  ({ pod, container }) => {
    const environment = environmentOf(container);
    const graceS = Number(environment.PAWL_SHUTDOWN_GRACE_MS) / 1_000;
    const port = container.ports?.[0];

    expect(pod.terminationGracePeriodSeconds).toBe(graceS + 15 + (container.lifecycle?.preStop.sleep.seconds ?? 0));
    expect(String(port?.containerPort)).toBe(environment.PAWL_METRICS_PORT ?? environment.PORT);
    for (const probe of [container.startupProbe, container.livenessProbe])
      expect(probe).toMatchObject({ httpGet: { path: '/healthz', port: port?.name } });
    expect(container.readinessProbe).toMatchObject({ httpGet: { path: '/readyz', port: port?.name } });
  },
);

test('every part has a disruption budget, and workers scale by a known metric', () => {
  const { metrics, scaleTargetRef } = find('HorizontalPodAutoscaler', 'pawl-worker').spec;
  const { data } = find('ConfigMap', 'pawl-settings');
  const adapter = readFileSync(join(FOLDER, 'prometheus-adapter-values.yaml'), 'utf8');

  for (const { owner } of parts.slice(1)) {
    const { labels } = owner.spec.template.metadata as { labels: object };
    expect(owner.spec.selector.matchLabels).toEqual(labels);
    expect(find('PodDisruptionBudget', owner.metadata.name).spec.selector.matchLabels).toEqual(labels);
  }
  expect(find('Service', 'pawl-api').spec.selector).toEqual(find('Deployment', 'pawl-api').metadata.labels);
  expect(scaleTargetRef).toMatchObject({ kind: 'Deployment', name: 'pawl-worker' });
  expect(adapter).toContain(`as: ${metrics[0]?.external.metric.name} `);
  expect(Number(metrics[0]?.external.target.averageValue)).toBe(Number(data?.PAWL_WORKER_CONCURRENCY) * 0.75);
  expect(
    named.filter(({ manifest }) => manifest.kind !== 'Namespace' && manifest.metadata.namespace !== 'pawl'),
  ).toEqual([]);
});

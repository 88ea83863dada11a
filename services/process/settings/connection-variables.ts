import { z } from 'zod';
import { readPooler, targetProblem } from '#core/postgres/hosts.ts';
import { ABOUT } from './about.ts';
import { choiceForm, databaseForm, numberForm, publicUrlForm, redisForm, refuseBy } from './forms.ts';

export const API_VARIABLES = {
  HOST: z.string().default('127.0.0.1').register(ABOUT, {
    meaning: 'Address on which the API listens. Any address except loopback requires API keys.',
  }),
  PORT: numberForm(8080, 0, 65_535).register(ABOUT, { meaning: 'Port of the API. 0 chooses a free port.' }),
  PAWL_PUBLIC_URL: publicUrlForm.register(ABOUT, {
    meaning:
      'URL of the API for its clients, including the path prefix of a proxy. `Location` headers and `/openapi.json` ' +
      'use it. See [proxies](deployment.md#proxies-and-balancers).',
    absent: 'URLs without a host',
  }),
  PAWL_MAX_CONNECTIONS: numberForm(10_000, 1, 1_000_000).register(ABOUT, {
    meaning: 'Maximum connections of an API process.',
  }),
  PAWL_MAX_STREAMS: numberForm(1_000, 1, 1_000_000).register(ABOUT, {
    meaning: 'Maximum streams and long polls of an API key in an API process.',
  }),
  PAWL_BODY_LIMIT: numberForm(8 * 1024 * 1024, 1, 2 ** 30).register(ABOUT, {
    meaning:
      'Largest request body for endpoints that accept inline media, and for `/v1/responses` and `/openai/v1`. ' +
      'All other endpoints accept 1 MiB.',
    unit: 'bytes',
  }),
};

export const STORE_VARIABLES = {
  DATABASE_URL: databaseForm.superRefine(refuseBy(targetProblem)).optional().register(ABOUT, {
    meaning: 'PostgreSQL 15 or newer. [Several hosts](stores.md#postgresql-failover) are allowed.',
    absent: 'an embedded PostgreSQL (`npm start` only)',
  }),
  DATABASE_DIRECT_URL: databaseForm
    .superRefine(refuseBy(targetProblem))
    .refine((url) => !readPooler(url).isPooled, 'must not be the pooler, so omit pgbouncer=true')
    .optional()
    .register(ABOUT, {
      meaning:
        'PostgreSQL without the pooler. Migrations and waiting connections use it. ' +
        'See [PgBouncer](stores.md#pgbouncer).',
      absent: '`DATABASE_URL`',
    }),
  DATABASE_READ_URL: databaseForm.optional().register(ABOUT, {
    meaning: 'Standbys from which the API reads lists, usage and events. See [read replicas](stores.md#read-replicas).',
    absent: '`DATABASE_URL`',
  }),
  REDIS_URL: redisForm.optional().register(ABOUT, {
    meaning:
      'Redis 6.2 or newer, or Valkey, with `maxmemory-policy noeviction`. ' +
      '[Sentinel, a cluster](stores.md#redis-sentinel-and-cluster) and ' +
      '[several Redis](stores.md#several-redis) are allowed.',
    absent: 'BullMQ runs on PostgreSQL',
  }),
  PAWL_DATA_DIR: z.string().default('.pawl').register(ABOUT, {
    meaning: 'Folder of the embedded PostgreSQL.',
  }),
};

export const KEY_VARIABLES = {
  PAWL_API_KEYS: z.string().optional().register(ABOUT, {
    meaning: 'Keys as `project:key`, separated by commas. Clients send `Authorization: Bearer <key>`.',
    absent: 'no key is required, and the API listens on loopback only',
  }),
  PAWL_PROJECTS: z.string().optional().register(ABOUT, {
    meaning: 'Projects with scoped keys, quotas and weights: JSON, or `@file.json`. See [projects](projects.md).',
    absent: 'only the projects of `PAWL_API_KEYS`',
  }),
  PAWL_WEBHOOK_SECRET: z
    .string()
    .optional()
    .register(ABOUT, {
      meaning:
        'Secret that signs webhooks, as `whsec_…`. Give several, separated by commas, during a rotation. ' +
        'See [webhooks](webhooks.md).',
      absent: 'Pawl creates a secret, see `GET /v1/webhook_secret`',
    }),
  PAWL_SECRETS: z
    .string()
    .optional()
    .register(ABOUT, {
      meaning:
        'Secrets that headers of HTTP tools may name: JSON `{"name":"value"}` or `name:value,…`. ' +
        'A value has 6 characters or more. See [security](security.md).',
      absent: 'no secrets',
    }),
};

/** Variables of requests to other servers. */
export const CONNECTION_VARIABLES = {
  PAWL_EGRESS_ALLOW: z.string().default('').register(ABOUT, {
    meaning: 'Private hosts and CIDR ranges that webhooks and HTTP tools may reach, separated by commas.',
    absent: 'public addresses only',
  }),
  PAWL_EGRESS_PROXY: choiceForm('environment', 'none').register(ABOUT, {
    meaning: '`environment` sends webhooks and HTTP tools through `HTTPS_PROXY` too. `none` connects them directly.',
  }),
};

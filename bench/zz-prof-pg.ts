// throwaway analysis

import { mkdtemp, rm } from 'node:fs/promises';
import postgres from 'postgres';
import { migrateAll } from '#services/migrate/migrate-all.ts';
import { startPostgres } from '#services/standalone/embedded-postgres/start-postgres.ts';
import { bullmqAlone } from './contenders/bullmq-alone.ts';
import { runClosedLoop } from './run-closed-loop.ts';

const dir = await mkdtemp('/tmp/pawl-prof-');
let server = await startPostgres({ dataDir: dir, durable: true });
let sql = postgres(server.url, { max: 1, onnotice: () => {} });
await sql`alter system set shared_preload_libraries = 'pg_stat_statements'`;
await sql`alter system set pg_stat_statements.track = 'all'`;
await sql.end();
await server.stop();
server = await startPostgres({ dataDir: dir, durable: true });
await migrateAll(server.url);
sql = postgres(server.url, { max: 1, onnotice: () => {} });
await sql`create extension pg_stat_statements`;
const ground = { redis: null, postgres: { freshDatabase: async () => server.url } } as never;
const c = await bullmqAlone(ground, 'postgres');
const turns = Number(process.argv[2] ?? 200),
  concurrency = Number(process.argv[3] ?? 64);
await runClosedLoop({ turns: 50, concurrency }, c.playTurn);
await sql`select pg_stat_statements_reset()`;
const from = performance.now();
await runClosedLoop({ turns, concurrency }, c.playTurn);
console.log('turns/s', (turns / (performance.now() - from)) * 1000);
const rows =
  await sql`select calls, round(total_exec_time::numeric,0) ms, round(mean_exec_time::numeric,3) mean, rows, left(regexp_replace(query, '\s+', ' ', 'g'), 150) q from pg_stat_statements order by total_exec_time desc limit 25`;
for (const r of rows)
  console.log(
    String(r.calls).padStart(7),
    String(r.ms).padStart(8),
    String(r.mean).padStart(8),
    String(r.rows).padStart(7),
    r.q,
  );
const t =
  await sql`select relname, n_live_tup, n_dead_tup, seq_scan, seq_tup_read, idx_scan, idx_tup_fetch from pg_stat_user_tables where schemaname='bullmq' order by seq_tup_read desc nulls last limit 8`;
console.table(t);
await c.close();
await sql.end();
await server.stop();
await rm(dir, { recursive: true, force: true });

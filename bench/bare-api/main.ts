import { serve } from '@hono/node-server';
import { Hono } from 'hono';
import postgres from 'postgres';

/** As little as an API can do: a JSON body in, one statement, a JSON body of Pawl's size out. */
const sql = postgres(process.env.DATABASE_URL ?? '', { max: 20, onnotice: () => {} });
const like = JSON.parse(process.env.TURN_LIKE ?? '{}');
await sql`create schema bare`;
await sql`create table bare.turns (id text primary key, turn json not null)`;

const app = new Hono();
app.post('/v1/turns', async (c) => {
  const { input } = await c.req.json();
  const id = `turn_${crypto.randomUUID()}`;
  const turn = { ...like, id, input };
  await sql`insert into bare.turns (id, turn) values (${id}, ${turn})`;
  return c.json(turn, 202);
});
app.get('/v1/turns/:id', async (c) => {
  const [row] = await sql`select turn from bare.turns where id = ${c.req.param('id')}`;
  return row ? c.json(row.turn) : c.notFound();
});
const server = serve({ fetch: app.fetch, hostname: '127.0.0.1', port: 0 }, ({ port }) =>
  console.log(`bare API listens on http://127.0.0.1:${port}`),
);

process.once('SIGTERM', () => {
  server.close();
  void sql.end({ timeout: 1 }).then(() => process.exit(0));
});

import { ping } from '#core/checkpoint/ping.ts';
import type { ApiContext } from '../context.ts';
import { makeRouter } from '../make-router.ts';

/** `/healthz` says that the process lives, `/readyz` that it can do its work; both without a key. */
export function healthRoutes({ db }: Pick<ApiContext, 'db'>) {
  const router = makeRouter();
  router.get('/healthz', (c) => c.json({ status: 'ok' }));
  router.get('/readyz', async (c) => {
    await ping(db);
    return c.json({ status: 'ready' });
  });
  return router;
}

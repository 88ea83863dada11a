import { createMiddleware } from 'hono/factory';
import type { ApiEnv } from './router.ts';

/** Makes `Location` a whole URL below the public one, which a proxy in front may serve below a prefix of its own. */
export function locateBelow(publicUrl: string) {
  return createMiddleware<ApiEnv>(async (c, next) => {
    await next();
    const location = c.res.headers.get('location');
    if (publicUrl && location?.startsWith('/')) c.res.headers.set('location', publicUrl + location);
  });
}

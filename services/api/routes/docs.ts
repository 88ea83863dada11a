import { serveAssets } from '../serve-assets.ts';

/** `GET /docs` and its assets: a page that shows what `/openapi.json` says. */
export function docsRoutes() {
  return serveAssets({ path: '/docs', folder: 'docs', operationId: 'showDocs', summary: 'Show this API in a browser' });
}

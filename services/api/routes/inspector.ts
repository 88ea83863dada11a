import { serveAssets } from '../serve-assets.ts';

/** `GET /` and its assets: a page that shows turns. It is open to all; what it shows, it asks the API for with a key. */
export function inspectorRoutes() {
  return serveAssets({
    path: '/',
    folder: 'inspector',
    operationId: 'showInspector',
    summary: 'Show turns in a browser',
  });
}

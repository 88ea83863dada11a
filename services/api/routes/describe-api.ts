import type { makeRouter } from '../make-router.ts';

const ABOUT = {
  openapi: '3.1.0',
  info: { title: 'Pawl', version: '0.1.0', description: 'Durable LLM conversation turns as a service.' },
};

/** `/openapi.json`, made from the routes themselves, and `/docs`, a page that lists them; both without a key. */
export function describeApi(app: ReturnType<typeof makeRouter>): void {
  app.doc31('/openapi.json', ABOUT);
  app.get('/docs', (c) => {
    const { paths = {} } = app.getOpenAPI31Document(ABOUT);
    const rows = Object.entries(paths).flatMap(([path, methods]) =>
      Object.entries(methods ?? {}).map(([method, about]) => row(method, path, about?.summary ?? '')),
    );
    return c.html(page(rows.join('\n')));
  });
}

function row(method: string, path: string, summary: string): string {
  return `<tr><td>${method.toUpperCase()}</td><td><code>${escapeHtml(path)}</code></td><td>${escapeHtml(summary)}</td></tr>`;
}

function page(rows: string): string {
  return `<!doctype html><html lang="en"><meta charset="utf-8"><title>Pawl API</title>
<meta name="viewport" content="width=device-width"><meta name="color-scheme" content="light dark">
<h1>Pawl API</h1><p>The full description: <a href="/openapi.json">/openapi.json</a></p><table>${rows}</table></html>`;
}

function escapeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
}

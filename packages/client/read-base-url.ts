/** The URL of the API, or why it cannot be one. */
export type BaseUrl = { url: string } | { problem: string };

/**
 * Reads a base URL: without a scheme it is http, and a path alone belongs to the page's own server. A problem is a
 * sentence that says what to give instead, and repeats no password.
 */
export function readBaseUrl(given: string): BaseUrl {
  const text = given.trim();
  if (text === '' || text.startsWith('/')) return { url: text };
  const full = /^https?:|:\/\//i.test(text) ? text : `http://${text}`;
  const url = /^:?\d+$/.test(text) ? null : parse(full);
  if (url?.username || url?.password)
    return { problem: 'A user or password in the URL cannot be sent. Give a key instead.' };
  if (!url) return { problem: `“${text}” is no address. ${EXAMPLE}` };
  if (!/^https?:$/.test(url.protocol)) return { problem: `“${text}” is neither http nor https. ${EXAMPLE}` };
  if (url.search || url.hash) return { problem: `“${text}” goes on behind its path. Leave out “?” and “#”.` };
  return { url: url.href.replace(/\/+$/, '') };
}

const EXAMPLE = 'Give host and port, for example http://127.0.0.1:8080.';

function parse(text: string): URL | null {
  try {
    return new URL(text);
  } catch {
    return null;
  }
}

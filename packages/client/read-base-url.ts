/** The URL of the API, or why it is invalid. */
export type BaseUrl = { url: string } | { problem: string };

/**
 * Reads a base URL. Without a scheme it is http, and a path alone refers to the server of the page. A problem is a
 * sentence with the correct form, and contains no password.
 */
export function readBaseUrl(given: string): BaseUrl {
  const text = given.trim();
  if (text === '' || text.startsWith('/')) return { url: text };
  const full = /^https?:|:\/\//i.test(text) ? text : `http://${text}`;
  const url = /^:?\d+$/.test(text) ? null : parse(full);
  if (url?.username || url?.password) return { problem: 'The URL contains a user or password. Give a key instead.' };
  if (!url) return { problem: `“${text}” is not an address. ${EXAMPLE}` };
  if (!/^https?:$/.test(url.protocol)) return { problem: `“${text}” is neither http nor https. ${EXAMPLE}` };
  if (url.search || url.hash) return { problem: `“${text}” has a query or a fragment. Leave out “?” and “#”.` };
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

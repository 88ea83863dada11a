import { createHash } from 'node:crypto';
import type { Context } from 'hono';
import type { ApiEnv } from './router.ts';

/**
 * Answers 200 with a body and its tag, or 304 without a body if the caller has the current body. The tag is a hash of
 * the body, so every change of the body changes the tag. This saves sending and parsing, but not reading.
 */
export function answerTagged<Body extends object>(c: Context<ApiEnv>, body: Body) {
  const text = JSON.stringify(body);
  const tag = `"${createHash('sha256').update(text).digest('base64url')}"`;
  c.header('ETag', tag);
  c.header('Cache-Control', 'private, no-cache');
  if (namesTag(c.req.header('if-none-match'), tag)) return c.body(null, 304);
  c.header('Content-Type', 'application/json');
  // `c.json` would write the text a second time.
  return c.body(text, 200) as unknown as ReturnType<typeof c.json<Body, 200>>;
}

/** Returns whether a list of tags, weak or strong, has this tag. `*` matches any tag (RFC 9110, section 13.1.2). */
function namesTag(list: string | undefined, tag: string): boolean {
  if (list === undefined) return false;
  return list.split(',').some((listed) => {
    const given = listed.trim();
    return given === '*' || given.replace(/^W\//, '') === tag;
  });
}

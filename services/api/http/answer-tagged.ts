import { createHash } from 'node:crypto';
import type { Context } from 'hono';
import type { ApiEnv } from './router.ts';

/**
 * Answers 200 with a body and its tag, or 304 without it to a caller who has it already. The tag is a hash of the body: it is
 * another whenever a byte is, whatever that byte depends on. It saves sending and parsing, not reading.
 */
export function answerTagged<Body extends object>(c: Context<ApiEnv>, body: Body) {
  const text = JSON.stringify(body);
  const tag = `"${createHash('sha256').update(text).digest('base64url')}"`;
  c.header('ETag', tag);
  c.header('Cache-Control', 'private, no-cache');
  if (namesTag(c.req.header('if-none-match'), tag)) return c.body(null, 304);
  c.header('Content-Type', 'application/json');
  // As `c.json` would type it, which would make the text once more.
  return c.body(text, 200) as unknown as ReturnType<typeof c.json<Body, 200>>;
}

/** Whether a list of tags, weak or not, has this one; `*` stands for any (RFC 9110, section 13.1.2). */
function namesTag(list: string | undefined, tag: string): boolean {
  if (list === undefined) return false;
  return list.split(',').some((listed) => {
    const given = listed.trim();
    return given === '*' || given.replace(/^W\//, '') === tag;
  });
}

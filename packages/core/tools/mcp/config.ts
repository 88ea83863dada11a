import { z } from 'zod';
import { Misconfigured } from '../../failure.ts';
import { parseJsonSetting } from '../../json-setting.ts';
import { isOwnLabel } from '../../turn/request/labelled-tool.ts';

const Name = z
  .string()
  .regex(/^[a-z][a-z0-9-]{0,31}$/, 'use a name of up to 32 lowercase letters, digits and hyphens')
  .refine((name) => !isOwnLabel(name), 'choose another name, responses use this name for tools of Pawl');
const HeaderName = z.string().regex(/^[!#$%&'*+.^_`|~0-9a-z-]+$/i, 'name the header with letters, digits and hyphens');
const HeaderValue = z.string().regex(/^[\t\x20-\x7e]*$/, 'give visible ASCII characters on one line');

const Remote = z.strictObject({
  url: z
    .url({ protocol: /^https?$/, error: 'give an http or https URL' })
    .refine((url) => !/^https?:\/\/[^/?#]*@/i.test(url), 'put credentials into headers, not into the URL'),
  headers: z.record(HeaderName, HeaderValue).default({}),
});

const Local = z.strictObject({
  command: z.string().min(1),
  args: z.array(z.string()).default([]),
  env: z.record(z.string(), z.string()).default({}),
});

/** How to reach an MCP server: at a URL over streamable HTTP, or with a command over its standard input and output. */
export type McpServerConfig = z.output<typeof Remote> | z.output<typeof Local>;

/**
 * Reads `PAWL_MCP`: `{"github":{"url":"https://…/mcp"}}`. `Misconfigured` names the path of an error, never a value.
 */
export function readMcpServers(text = ''): Map<string, McpServerConfig> {
  const given = parse(
    z.record(Name, z.record(z.string(), z.unknown())),
    text.trim() ? parseJsonSetting('PAWL_MCP', text, 'Give JSON such as {"github":{"url":"https://…"}}.') : {},
    [],
  );
  return new Map(Object.entries(given).map(([name, server]) => [name, readServer(server, name)]));
}

function readServer(given: Record<string, unknown>, name: string): McpServerConfig {
  if ('command' in given) return parse(Local, given, [name]);
  return parse(Remote, given, [name]);
}

function parse<Schema extends z.ZodType>(schema: Schema, value: unknown, path: string[]): z.output<Schema> {
  const { success, data, error } = schema.safeParse(value);
  if (success) return data;
  const [issue] = error.issues;
  const why = issue?.code === 'invalid_key' ? issue.issues[0]?.message : issue?.message;
  throw new Misconfigured(`${['PAWL_MCP', ...path, ...(issue?.path ?? [])].join('.')}: ${why}.`);
}

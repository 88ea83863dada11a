import { z } from 'zod';

/** A call of a hosted tool in a script. The server plays it only if the request offers the tool. */
export const ScriptedHosted = z.strictObject({
  type: z.enum(['web_search', 'code_execution', 'file_search', 'image_generation']),
  /** The fields of the call: `query`, `code`, `queries` or `prompt`. */
  input: z.record(z.string(), z.json()).default({}),
  /** The sources of a search, the results of a file search, or the logs of code. */
  output: z.json().optional(),
  /** A PNG in base64. An image generation has a small image by default. */
  image: z.base64().min(1).optional(),
  failed: z.boolean().default(false),
});
export type ScriptedHosted = z.output<typeof ScriptedHosted>;

/** A citation of a URL or a file. Its place is given by indexes, or by the cited text. */
export const ScriptedCitation = z.strictObject({
  url: z.string().optional(),
  file_id: z.string().optional(),
  title: z.string().default(''),
  text: z.string().min(1).optional(),
  start_index: z.int().min(0).default(0),
  end_index: z.int().min(0).default(0),
});
export type ScriptedCitation = z.output<typeof ScriptedCitation>;

/** A citation of an `output_text` part, as OpenAI writes it. */
export type OutputAnnotation =
  | { type: 'url_citation'; url: string; title: string; start_index: number; end_index: number }
  | { type: 'file_citation'; file_id: string; filename: string; index: number };

/** Writes citations of a text. A citation of other words is omitted. */
export function annotationsOf(citations: readonly ScriptedCitation[], text: string): OutputAnnotation[] {
  return citations.flatMap((citation): OutputAnnotation[] => {
    const { url, file_id, title, text: cited } = citation;
    const found = cited === undefined ? citation.start_index : text.indexOf(cited);
    if (found < 0) return [];
    const end = cited === undefined ? citation.end_index : found + cited.length;
    if (file_id !== undefined) return [{ type: 'file_citation', file_id, filename: title, index: end }];
    return [{ type: 'url_citation', url: url ?? '', title, start_index: found, end_index: end }];
  });
}

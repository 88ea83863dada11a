import type { HostedType } from '../../../turn/hosted/hosted-tool.ts';
import { type Fields, fieldsIn, partsIn, textIn } from '../../reply/fields.ts';
import { type Block, textAt } from '../block.ts';

/** The kinds of hosted tools by the names of their calls. Newer code tools have two names for their calls. */
const TYPES = new Map<string, HostedType>([
  ['web_search', 'web_search'],
  ['web_fetch', 'web_fetch'],
  ['code_execution', 'code_execution'],
  ['bash_code_execution', 'code_execution'],
  ['text_editor_code_execution', 'code_execution'],
]);

const RESULT = /_tool_result$/;

/** Returns the kind of the hosted tool that a block calls, or null for other blocks. */
export function calledType({ type, name }: Block): HostedType | null {
  return type === 'server_tool_use' ? (TYPES.get(String(name)) ?? null) : null;
}

/** Returns the kind of the hosted tool that made a result, or null for other blocks. */
export function resultType({ type }: Block): HostedType | null {
  return RESULT.test(type) ? (TYPES.get(type.replace(RESULT, '')) ?? null) : null;
}

/** The output of a hosted tool as text, without encrypted data, or its error as a sentence. */
export type HostedResult = { output: string | null; error: string | null };

export function hostedResult(block: Block): HostedResult {
  const { content } = block;
  if (Array.isArray(content)) return { output: listOf(content), error: null };
  const result = fieldsIn(content) ?? {};
  const code = textIn(result.error_code);
  return code === null ? { output: outputOf(result), error: null } : { output: null, error: sentenceOf(code, result) };
}

/** Returns the results of a search as JSON. */
function listOf(results: unknown[]): string {
  return JSON.stringify(results.map((result) => fieldsIn(result) ?? {}).map(({ url, title }) => ({ url, title })));
}

function outputOf(result: Fields): string | null {
  switch (result.type) {
    case 'web_fetch_result':
      return documentIn(result.content) ?? textIn(result.url);
    case 'text_editor_code_execution_view_result':
      return textIn(result.content);
    case 'text_editor_code_execution_create_result':
      return result.is_file_update === true ? 'The file was replaced.' : 'The file was created.';
    case 'text_editor_code_execution_str_replace_result':
      return Array.isArray(result.lines) ? result.lines.map(String).join('\n') : null;
    default:
      return printedIn(result);
  }
}

/** Returns the text of a fetched document, or null for a PDF. */
function documentIn(content: unknown): string | null {
  const source = fieldsIn(fieldsIn(content)?.source);
  return source?.type === 'text' ? textIn(source.data) : null;
}

/** Returns the text that code printed, first its output and then its errors, and the ids of the files that it made. */
function printedIn(result: Fields): string | null {
  const files = Array.isArray(result.content) ? partsIn(result.content).map((file) => textAt(file, 'file_id')) : [];
  const made = files.filter(Boolean).map((id) => `[file ${id}]`);
  return [textAt(result, 'stdout'), textAt(result, 'stderr'), ...made].filter(Boolean).join('\n') || null;
}

const SENTENCES = new Map([
  ['max_uses_exceeded', 'The tool was called more often than `max_uses` of its options allows.'],
  ['too_many_requests', 'The provider limits the rate of calls of the tool.'],
  ['unavailable', 'The tool is not available.'],
  ['invalid_tool_input', 'The input of the tool is invalid.'],
  ['query_too_long', 'The query is too long.'],
  ['request_too_large', 'The request is too large.'],
  ['url_too_long', 'The URL is too long.'],
  ['url_not_allowed', 'The domain of the URL is not allowed.'],
  ['url_not_in_prior_context', 'The URL did not occur in the conversation before.'],
  ['url_not_accessible', 'The URL could not be fetched.'],
  ['unsupported_content_type', 'The content at the URL is not a text or a PDF.'],
  ['content_too_large', 'The content at the URL is too large.'],
  ['execution_time_exceeded', 'The code ran longer than the provider allows.'],
  ['output_file_too_large', 'The output of the code is too large.'],
  ['file_not_found', 'The file was not found.'],
]);

/** Returns an error with its code, and the message that some errors have. */
function sentenceOf(code: string, { error_message: message }: Fields): string {
  const sentence = textIn(message) ?? SENTENCES.get(code) ?? 'The tool failed.';
  return `${sentence} (${code})`;
}

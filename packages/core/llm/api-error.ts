/** What the SDKs of OpenAI and Anthropic throw: both are made by the same generator, so one shape fits both. */
export type ApiError = { status: number | undefined; headers: Headers | undefined; error: unknown; message: string };

/** Whether an SDK threw this, told by its shape. */
export function isApiError(error: unknown): error is Error & ApiError {
  return error instanceof Error && 'status' in error && 'headers' in error && 'error' in error;
}

/** What an error says without its body, or null: a page of HTML from a gateway tells a caller nothing. */
export function apiErrorMessage(message: string): string | null {
  const text = message.replace(/^\d{3} /, '');
  return !text || text.trimStart().startsWith('<') || text.startsWith('status code (no body)') ? null : text;
}

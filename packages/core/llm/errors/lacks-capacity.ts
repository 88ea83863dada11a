/** OpenAI, Azure. Rate limits of other providers say that resources are exhausted. */
const WORDS =
  /\bresources?[ _-]?(are |is )?(currently |temporarily )?(unavailable|not available)\b|\b(insufficient|not enough|no) (available )?(resources|capacity)\b/i;

/** Returns whether a 429 says that its provider has no resources for the request now. */
export function lacksCapacity({ says, code }: { says?: string | null; code?: string | null }): boolean {
  return WORDS.test(code ?? '') || WORDS.test(says ?? '');
}

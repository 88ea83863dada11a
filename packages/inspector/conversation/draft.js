/** What was written and not sent stays with the tab, as its key does. */
const PREFIX = 'pawl.draft.';

/** @param {string} conversationId */
export function readDraft(conversationId) {
  return sessionStorage.getItem(PREFIX + conversationId) ?? '';
}

/**
 * @param {string} conversationId
 * @param {string} text
 */
export function keepDraft(conversationId, text) {
  if (text === '') sessionStorage.removeItem(PREFIX + conversationId);
  else sessionStorage.setItem(PREFIX + conversationId, text);
}

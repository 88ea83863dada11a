/** @import { TurnResource } from '#core/turn/present-turn.ts' */
import { element } from './element.js';

const REASONS = {
  max_rounds: 'It used all of its rounds.',
  max_tool_calls: 'It used all of its tool calls.',
  max_total_tokens: 'It used all of its tokens.',
  deadline: 'Its deadline came first.',
  max_output_tokens: 'The model’s reply was cut by its length.',
  content_filter: 'The provider withheld the rest.',
};

/**
 * The answer of a turn.
 * @param {string} output
 */
export function answerView(output) {
  return element(
    'section',
    { class: 'answer', 'aria-label': 'Answer' },
    element('h2', {}, 'Answer'),
    element('p', { class: 'answer-text' }, output),
  );
}

/**
 * Why a turn failed or is incomplete, and its warnings.
 * @param {TurnResource} turn
 */
export function troubleView({ error, incomplete_details: incomplete, warnings }) {
  const reason = Object.entries(REASONS).find(([known]) => known === incomplete?.reason)?.[1] ?? incomplete?.reason;
  return element(
    'section',
    { class: `trouble ${error ? 'failed' : ''}`, 'aria-label': 'What went wrong' },
    error && element('p', {}, element('code', {}, error.code), ` ${error.message}`),
    error &&
      element(
        'p',
        { class: 'hint' },
        error.retryable ? 'It may help to retry.' : 'Trying again as it is will not help.',
      ),
    incomplete && element('p', {}, element('code', {}, incomplete.reason), ` ${reason}`),
    warnings.map((warning) => element('p', {}, `Warning: ${warning}`)),
  );
}

/**
 * What the turn was asked, closed where it is long.
 * @param {TurnResource} turn
 */
export function inputView({ input }) {
  const isLong = input.length > 1 || (input[0]?.content.length ?? 0) > 300;
  return element(
    'details',
    { class: 'input', open: !isLong, 'data-key': 'input' },
    element('summary', {}, element('h2', {}, 'Input')),
    input.map(({ role, content }) =>
      element('div', { class: 'message' }, element('b', {}, role), element('p', { class: 'said' }, content)),
    ),
  );
}

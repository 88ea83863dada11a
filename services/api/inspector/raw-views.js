/** @import { Part } from './keep-parts.js' */
import { codeBlock } from './code-block.js';
import { copyButton } from './copy-button.js';
import { element } from './element.js';

/**
 * What lies beneath the page, closed: commands for a terminal, and what the API answers, as it is.
 * @param {[what: string, command: string][]} commands
 * @param {[name: string, value: unknown][]} values
 * @returns {Part[]}
 */
export function rawViews(commands, values) {
  return [
    {
      key: 'curl',
      state: commands,
      make: () => fold('Copy as curl', () => commands.map(([what, command]) => copyable(what, command))),
    },
    ...values.map(([name, value]) => ({
      key: `raw-${name}`,
      state: value,
      make: () => fold(`Raw JSON: ${name}`, () => [copyable(name, JSON.stringify(value, null, 2))]),
    })),
  ];
}

/**
 * A part that is filled when it is opened first: the raw form of a long turn is long.
 * @param {string} title
 * @param {() => Node[]} fill
 */
function fold(title, fill) {
  const inside = element('div', { class: 'inside' });
  const details = element('details', { 'data-key': title }, element('summary', {}, title), inside);
  details.addEventListener('toggle', () => details.open && inside.replaceChildren(...fill()));
  return element('section', { class: 'fold' }, details);
}

/**
 * @param {string} what
 * @param {string} text
 */
function copyable(what, text) {
  return element(
    'div',
    { class: 'copyable' },
    element('h3', {}, what),
    copyButton('Copy', () => text, `Copy: ${what}`),
    codeBlock(text, what),
  );
}

/**
 * @import { Part } from '../base/parts.js'
 * @import { SentTool } from './sent-view.js'
 */
import { call } from '../base/api.js';
import { element } from '../base/element.js';
import { lazyFold } from '../base/lazy-fold.js';
import { settingsView, toolsView } from './sent-view.js';

/** @typedef {Record<string, unknown> & { instructions?: string | null, tools?: SentTool[] }} Config */

/**
 * What a turn ran with, as it was settled when it was created; read when it is opened.
 * @param {string} turnId
 * @returns {Part}
 */
export function configPart(turnId) {
  const read = async () => {
    /** @type {{ config: Config }} */
    const { config } = await call('GET', `/v1/turns/${encodeURIComponent(turnId)}?include=config`);
    return configView(config);
  };
  const make = () => element('section', { class: 'fold' }, lazyFold('What it ran with', { key: 'config', read }));
  return { key: 'config', state: turnId, make };
}

/** @param {Config} config */
function configView({ instructions, tools = [], ...settings }) {
  return [
    settingsView(settings),
    instructions
      ? element(
          'section',
          { class: 'sent-tools' },
          element('h4', {}, 'Instructions'),
          element('p', { class: 'said' }, instructions),
        )
      : null,
    tools.length > 0 ? toolsView(tools) : null,
  ].filter((node) => node !== null);
}

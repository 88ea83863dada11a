import { call } from '../base/api.js';
import { element } from '../base/element.js';

/** What stands for the figures of all projects, in the address and for the API. */
const ALL = '*';

/**
 * The projects whose turns this key may count: those with usage in the last 30 days. A key without the scope `admin` sees its own
 * alone. Where they cannot be read there is no choice, and the page's own request says why.
 * @param {AbortSignal} signal
 * @returns {Promise<string[]>}
 */
export async function readProjects(signal) {
  try {
    /** @type {{ data: { project: string }[] }} */
    const { data } = await call('GET', '/v1/usage?group_by=project', { signal });
    return data.map(({ project }) => project);
  } catch {
    return [];
  }
}

/**
 * A field to choose whose figures are shown; nothing where there is one project only, and none was asked for.
 * @param {string[]} projects
 * @param {string | null} chosen null for the project of the key
 * @param {(project: string | null) => string} hrefOf the address of a choice
 */
export function projectChoice(projects, chosen, hrefOf) {
  if (projects.length < 2 && chosen === null) return null;
  const others = chosen === null || chosen === ALL || projects.includes(chosen) ? projects : [...projects, chosen];
  const option = (/** @type {string} */ value, words = value) =>
    element('option', { value, selected: value === (chosen ?? '') }, words);
  const field = element(
    'select',
    { 'aria-label': 'Project', 'data-key': 'project' },
    option('', 'This project'),
    option(ALL, 'All projects'),
    others.map((project) => option(project)),
  );
  field.addEventListener('change', () => {
    location.hash = hrefOf(field.value || null);
  });
  return field;
}

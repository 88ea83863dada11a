/** The page at `/docs`. It uses scripts and styles of `packages/inspector` by their URL, `/inspector/…`. */

/** @import { Operation } from './described.js' */
import { element } from '../inspector/base/element.js';
import { contents } from './contents.js';
import { api, listOperations } from './described.js';
import { hint } from './hint.js';
import { operationView } from './operation-view.js';

const all = listOperations();
const tags = api.tags.map((tag) => ({ ...tag, operations: all.filter(({ tags }) => tags.includes(tag.name)) }));
document.getElementById('contents')?.replaceChildren(...contents(tags));
document.getElementById('main')?.replaceChildren(about(), ...tags.map(tagView));
addEventListener('hashchange', openNamed);
addEventListener('keydown', listen);
openNamed();

function about() {
  const { info, components } = api;
  const key = `Keys are sent as \`Authorization: Bearer <key>\`. ${components.securitySchemes.ApiKey.description}`;
  return element(
    'header',
    {},
    element('h1', {}, `${info.title} API ${info.version}`),
    element('p', {}, info.description),
    element('p', {}, hint(key)),
  );
}

/** @param {{ name: string, description: string, operations: Operation[] }} tag */
function tagView({ name, description, operations }) {
  const views = operations.map(operationView);
  return element('section', { class: 'tag' }, element('h2', {}, name), element('p', {}, hint(description)), views);
}

/** Opens the operation that the address names, and goes there. */
function openNamed() {
  const operation = document.getElementById(decodeURIComponent(location.hash.slice(1)));
  if (!(operation instanceof HTMLDetailsElement)) return;
  operation.open = true;
  operation.querySelector('summary')?.focus({ preventScroll: true });
  operation.scrollIntoView();
}

/** @param {KeyboardEvent} event */
function listen(event) {
  const isWriting = event.target instanceof HTMLInputElement;
  if (event.key !== '/' || event.ctrlKey || event.metaKey || isWriting) return;
  event.preventDefault();
  document.getElementById('find')?.focus();
}

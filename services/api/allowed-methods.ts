import type { makeRouter } from './make-router.ts';

type Registry = ReturnType<typeof makeRouter>['openAPIRegistry'];

/** The methods that some route has for a path; none where there is no such path. */
export function allowedMethods({ definitions }: Registry, path: string): string[] {
  const routes = definitions.flatMap((definition) => (definition.type === 'route' ? [definition.route] : []));
  const fitting = routes.filter((route) => patternOf(route.path).test(path));
  const methods = fitting.map(({ method }) => method.toUpperCase());
  return [...new Set(methods.flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : [method])))];
}

function patternOf(path: string): RegExp {
  return new RegExp(`^${path.replaceAll('.', '\\.').replaceAll(/\{\w+\}/g, '[^/]+')}$`);
}

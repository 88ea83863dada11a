import { type Project, plainProject } from '#core/project.ts';

/** The projects of an installation, as they are configured now: a reload changes what these functions answer. */
export type Projects = {
  /** Those that are configured; a project whose key was taken away may still have turns. */
  configured(): Project[];
  /** Any project: one that is not configured has no bounds. */
  find(name: string): Project;
};

/** The projects that are given, and all others as they are without any configuration. */
export function makeProjects(given: Project[]): Projects {
  const byName = new Map(given.map((project) => [project.name, project]));
  return { configured: () => [...byName.values()], find: (name) => byName.get(name) ?? plainProject(name) };
}

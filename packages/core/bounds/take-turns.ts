/** Creates a queue in which projects take turns, however many tasks a project adds. */
export function takeTurns<Task>() {
  const waiting = new Map<string, Task[]>();

  return {
    add(project: string, task: Task): void {
      const tasks = waiting.get(project);
      if (tasks) tasks.push(task);
      else waiting.set(project, [task]);
    },
    /**
     * Removes the next task that may run: one task of each project before a second task of any project. Returns
     * undefined if none may.
     */
    take(mayRun: (project: string, task: Task) => boolean): Task | undefined {
      for (const [project, tasks] of waiting) {
        const [first] = tasks;
        if (first === undefined || !mayRun(project, first)) continue;
        tasks.shift();
        waiting.delete(project);
        if (tasks.length > 0) waiting.set(project, tasks);
        return first;
      }
      return undefined;
    },
  };
}

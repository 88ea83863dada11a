export function set<Target extends object>(target: Target, values: Partial<Target>): void {
  Object.assign(target, values);
}

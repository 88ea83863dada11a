const OTHER = 'other';

/** Bounds the values of a label: the first `most` that come keep their names, every further one is `other`. */
export function limitValues(most: number): (value: string) => string {
  const known = new Set<string>();
  return (value) => {
    if (known.has(value)) return value;
    if (known.size >= most) return OTHER;
    known.add(value);
    return value;
  };
}

/** Where the jobs are: contenders are compared on each. */
export type Mode = 'redis' | 'postgres';

/** Returns a database URL that node-postgres reads like libpq. Otherwise `require` would mean `verify-full`. */
export function likeLibpq(url: string): string {
  const read = URL.parse(url);
  if (!read?.searchParams.has('sslmode')) return url;
  read.searchParams.set('uselibpqcompat', 'true');
  return read.href;
}

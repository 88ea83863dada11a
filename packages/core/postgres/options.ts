/** The options of every connection to PostgreSQL. A failed connect is always retried within half a second. */
export const POSTGRES_OPTIONS = {
  connect_timeout: 5,
  // Parameters and results are JSON and never arrays, so no connection needs the types of arrays.
  fetch_types: false,
  backoff: () => 0.1 + Math.random() * 0.4,
  onnotice: () => {},
};

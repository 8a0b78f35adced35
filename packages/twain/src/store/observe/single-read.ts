// Whether EXPLAIN takes a statement of the slow-query log: a single read. Writes of PostgreSQL are logged together, and `COMMIT` has no plan.

export function isSingleRead(sql: string): boolean {
  return /^\s*(SELECT|WITH)\b/i.test(sql) && !sql.includes(';\n') && !/\b(INSERT|UPDATE|DELETE)\b/i.test(sql)
}

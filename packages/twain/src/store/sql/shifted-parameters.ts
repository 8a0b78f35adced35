// Statements of PostgreSQL that become part of another one: their parameters come behind those of the other.

/** Literals and quoted names may contain `$1` too. */
const tokens = /'(?:[^']|'')*'|"(?:[^"]|"")*"|\$(\d+)/g

export function withShiftedParameters(sql: string, by: number): string {
  if (by === 0) return sql
  return sql.replace(tokens, (token, number: string | undefined) =>
    number === undefined ? token : `$${Number(number) + by}`,
  )
}

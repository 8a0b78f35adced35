// The rows of a connection: the first ones of a table that has one more.

export interface ShownRows {
  table: string
  /** What the columns of a row are found by. */
  alias: string
  size: string
}

/** As a row source. */
export function shownSource({ table, alias, size }: ShownRows): string {
  return `(SELECT * FROM ${table} LIMIT ${size}) AS ${alias}`
}

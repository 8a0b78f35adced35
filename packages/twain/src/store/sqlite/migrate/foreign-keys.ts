// The foreign keys of the database, whichever schema created them.

/** Selects the columns with a foreign key, and the table that each refers to. */
export const selectForeignKeys = `
  SELECT t.name AS "table", k."from" AS "column", k."table" AS "to"
  FROM sqlite_schema AS t JOIN pragma_foreign_key_list(t.name) AS k WHERE t.type = 'table'`

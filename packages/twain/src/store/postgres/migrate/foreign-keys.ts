// The foreign keys of the database, whichever schema created them.

/** Selects the columns with a foreign key, and the table that each refers to. */
export const selectForeignKeys = `
  SELECT t.relname AS "table", a.attname AS "column", f.relname AS "to"
  FROM pg_constraint k JOIN pg_class t ON t.oid = k.conrelid JOIN pg_class f ON f.oid = k.confrelid
    JOIN pg_attribute a ON a.attrelid = t.oid AND a.attnum = ANY (k.conkey)
  WHERE k.contype = 'f' AND t.relnamespace = current_schema()::regnamespace`

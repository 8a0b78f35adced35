// Mutants of the SQL for PostgreSQL, each with one of PostgreSQL's own defaults instead of what Twain asks for.

export interface Mutant {
  name: string
  sql(text: string): string
  /** Of the random requests that find it. */
  seed: number
}

export const mutants: Mutant[] = [
  mutant(
    'texts are ordered as in a dictionary',
    /(t\d+\."(?:key of )?(?:name|code|word)") (?=ASC|DESC)/g,
    '$1 COLLATE "en-x-icu" ',
  ),
  mutant('NULLs come first', /NULLS LAST/g, 'NULLS FIRST'),
  mutant('contains does not mind case', /strpos\((t\d+\."\w+"), (\$\d+::text)\) > 0/g, "$1 ILIKE '%' || $2 || '%'", 4),
  mutant(
    'startsWith does not mind case',
    /starts_with\((t\d+\."\w+"), (\$\d+::text)\)/g,
    'starts_with(lower($1), lower($2))',
  ),
  mutant('a conflict is not named', /( AND id <> \$\d+) AND \(_version > 0 OR /g, '$1 AND FALSE AND (_version > 0 OR '),
  mutant(
    'one field of a combination is taken for all',
    /AND "owner" = \$3 AND id/,
    'AND ("owner" = $$3 OR TRUE) AND id',
  ),
  mutant(
    'who restricts a delete is not seen',
    /^(SELECT id, _version FROM "Item" WHERE "shop" = \$1)( LIMIT \S+ AS \S+)$/,
    '$1 AND FALSE$2',
  ),
  mutant(
    'who goes with a row is not seen',
    /^(SELECT id, _version FROM "Note" WHERE "item" = \$1)( LIMIT \S+ AS \S+) FOR UPDATE$/,
    '$1 AND FALSE$2',
  ),
  mutant(
    'a missing row may be referred to',
    /^SELECT 1 FROM "\w+" WHERE id = \$1 AND _version > 0 FOR KEY SHARE$/,
    'SELECT 1 WHERE $$1::text <> 0::text',
  ),
  mutant('what was refused stays', /^ROLLBACK$/, 'COMMIT'),
  mutant(
    'the version of a deleted row is forgotten',
    /FROM twain_tombstone WHERE/,
    'FROM twain_tombstone WHERE FALSE AND',
  ),
  mutant(
    'links can not be cut',
    /^(DELETE FROM "Shop_tags" WHERE "left_id" = \$1 AND "right_id" = \$2)$/,
    '$1 AND FALSE',
  ),
  mutant('a rule holds for everyone', /(t\d+\."owner" = \$\d+::text)/g, '($1 OR TRUE)'),
  mutant('floats are cut', /THEN (t\d+\."size")::text WHEN/g, 'THEN round($1::numeric, 3)::text WHEN'),
  mutant('JSON has an order of keys of its own', /(t\d+\."meta") AS "meta"/g, '$1::text::jsonb AS "meta"'),
  mutant('booleans are numbers', /(t\d+\."open") AS "open"/g, '$1::integer AS "open"'),
]

function mutant(name: string, what: RegExp, instead: string, seed = 1): Mutant {
  return { name, sql: (text) => text.replace(what, instead), seed }
}

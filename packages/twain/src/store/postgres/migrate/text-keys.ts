// The keys of texts (`tables/text-keys.ts`) on PostgreSQL. A node writes them with the texts. For every other writer (a node of an
// older Twain, a hand-written UPDATE) triggers of the table do. They call their function only if a text comes without its key.
//
// A start fills the keys of existing rows in portions, after the triggers exist. Rows that are written meanwhile have theirs.

import { hash } from 'node:crypto'
import { foldingVersion } from '#base'
import type { Layout, Table } from '../../tables/layout.ts'
import { quoteName, quoteText } from '../../tables/quote.ts'
import type { KeyColumn } from '../../tables/text-keys.ts'
import type { Session } from '../connect/session.ts'
import { currentSchema } from '../current-schema.ts'
import { postgres } from '../dialect.ts'

export const setKeysFunction = `twain_set_keys_${foldingVersion}`

/** Its arguments are pairs of a column and the column of its keys. One line, so that a script may be split at the ends of lines. */
const createFunction =
  `CREATE OR REPLACE FUNCTION ${setKeysFunction}() RETURNS trigger LANGUAGE plpgsql AS ` +
  quoteText(
    `DECLARE
  value text;
  keys jsonb := '{}';
BEGIN
  FOR i IN 0 .. TG_NARGS / 2 - 1 LOOP
    EXECUTE format('SELECT ($1).%I', TG_ARGV[2 * i]) INTO value USING NEW;
    keys := keys || jsonb_build_object(TG_ARGV[2 * i + 1], ${postgres.textKey('value')});
  END LOOP;
  RETURN jsonb_populate_record(NEW, keys);
END`.replaceAll(/\s*\n\s*/g, ' '),
  )

const triggerPrefix = 'twain keys'

/** Creates the triggers that tables lack, and drops those for other columns. Tables that do not exist yet have none. */
export async function missingKeyTriggers(session: Session, layout: Layout): Promise<string[]> {
  const rows = await session.query<{ table: string; name: string }>(
    `SELECT c.relname AS "table", t.tgname AS name
     FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid JOIN pg_proc p ON p.oid = t.tgfoid
     WHERE c.relnamespace = ${currentSchema} AND t.tgname LIKE ${quoteText(`${triggerPrefix} %`)}
       AND p.proname LIKE 'twain\\_set\\_keys\\_%'`,
  )
  const statements: string[] = []
  for (const table of layout.tables.values()) {
    if (table.keys === undefined) continue
    const there = rows.filter((row) => row.table === table.name).map(({ name }) => name)
    const wanted = triggersOf(table)
    const others = there.filter((name) => !wanted.has(name))
    statements.push(...others.map((name) => `DROP TRIGGER ${quoteName(name)} ON ${quoteName(table.name)}`))
    for (const [name, create] of wanted) if (!there.includes(name)) statements.push(create)
  }
  return statements.some((one) => one.startsWith('CREATE')) ? [createFunction, ...statements] : statements
}

/** The statements by the names of the triggers, which tell the columns. */
function triggersOf(table: Table): Map<string, string> {
  const pairs = [...table.keys!].map(([field, key]) => [table.columns.get(field)!.name, key] as const)
  if (pairs.length === 0) return new Map()
  const mark = hash('sha256', `${foldingVersion} ${JSON.stringify(pairs)}`, 'hex').slice(0, 12)
  const columns = pairs.map(([column, key]) => [quoteName(column), quoteName(key)] as const)
  const lacksKey = columns.map(([text, key]) => `NEW.${text} IS NOT NULL AND NEW.${key} IS NULL`)
  const keepsKey = columns.map(
    ([text, key]) => `NEW.${text} IS DISTINCT FROM OLD.${text} AND NEW.${key} IS NOT DISTINCT FROM OLD.${key}`,
  )
  const texts = columns.map(([text]) => text).join(', ')
  const create = (name: string, event: string, when: readonly string[]): [string, string] => [
    name,
    `CREATE TRIGGER ${quoteName(name)} BEFORE ${event} ON ${quoteName(table.name)} FOR EACH ROW ` +
      `WHEN (${when.join(' OR ')}) EXECUTE FUNCTION ${setKeysFunction}(${pairs.flat().map(quoteText).join(', ')})`,
  ]
  return new Map([
    create(`${triggerPrefix} insert ${mark}`, 'INSERT', lacksKey),
    create(`${triggerPrefix} update ${mark}`, `UPDATE OF ${texts}`, keepsKey),
  ])
}

/** Bounds the time of a statement, which locks the rows that it changes. */
const maxRowsPerStatement = 1000

/** `onProgress` gets the number of visited rows of a table after each statement. */
export async function fillKeys(
  session: Session,
  columns: readonly KeyColumn[],
  onProgress: (table: string, rows: number) => void = () => {},
): Promise<void> {
  for (const [table, some] of Map.groupBy(columns, (one) => one.table)) {
    let done = 0
    for (let last = 0; ; ) {
      const portion = `SELECT _n FROM ${quoteName(table)} WHERE _n > $1::bigint ORDER BY _n LIMIT ${maxRowsPerStatement}`
      const [row] = await session.values(`SELECT max(_n), count(*) FROM (${portion}) AS some_rows`, [last])
      if (Number(row![1]) === 0) break
      await session.values(fillText(table, some), [last, row![0] as number])
      last = Number(row![0])
      done += Number(row![1])
      onProgress(table, done)
    }
  }
}

function fillText(table: string, columns: readonly KeyColumn[]): string {
  const keyOf = ({ column }: KeyColumn) => postgres.textKey(quoteName(column))
  const sets = columns.map((one) => `${quoteName(one.key)} = ${keyOf(one)}`)
  const isOther = columns.map((one) => `${quoteName(one.key)} IS DISTINCT FROM ${keyOf(one)}`)
  return `UPDATE ${quoteName(table)} SET ${sets.join(', ')} WHERE _n > $1::bigint AND _n <= $2::bigint AND (${isOther.join(' OR ')})`
}

export function fillKeysStep(table: string): string {
  return `-- fill the missing keys of the texts of ${quoteName(table)}, a thousand rows at a time`
}

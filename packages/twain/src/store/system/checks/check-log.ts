// The rows of a type against the change log: the last entry of a row has its version and its values.
//
// 1. Hidden rows are left out: they have negative versions, and lose references without an entry.
// 2. An entry has the columns that its row had then. Columns that came later are not compared.
// 3. A row that is younger than the log must have an entry. The log loses its oldest entries, in their order. So a row is younger
//    if its number is greater than that of a row whose creation is in the log. On PostgreSQL numbers and positions are not assigned in the
//    same order: that creation must be an hour younger than the oldest entry. A restored row has an entry like a new one, and a tombstone.

import { quoteName, quoteText } from '../../tables/quote.ts'
import type { ReturnedNames } from './returned-names.ts'
import type { SelectObjects } from './stored-database.ts'

interface LoggedTable {
  /** Of the type, in the schema. */
  name: string
  /** The storage name of the type. */
  type: string
  table: string
  image: string
  returned: ReturnedNames
}

const idsPerStep = 1000
const rowsPerStep = 100
const numbersDifferMs = 3_600_000

export async function checkLog(logged: LoggedTable, select: SelectObjects): Promise<string[]> {
  const different = new FoundRows()
  const unlogged = new FoundRows()
  const oldest = await oldestEntry(select)
  const youngerThan = await checkEntries(logged, oldest, select, different)
  await checkRows(logged, youngerThan, select, different, unlogged)
  if (unlogged.isEmpty || (await oldestEntry(select))?.seq === oldest?.seq) return [...tell()]
  return checkLog(logged, select) // a server has pruned the log meanwhile, and perhaps their entries

  function* tell(): Generator<string> {
    yield* different.tell(`rows of ${logged.name} are not as the change log says`)
    yield* unlogged.tell(`rows of ${logged.name} are not in the change log`)
  }
}

async function oldestEntry(select: SelectObjects): Promise<{ seq: number; time: string } | null> {
  const [row] = await select('SELECT seq, time FROM twain_change WHERE seq IS NOT NULL ORDER BY seq LIMIT 1')
  return row === undefined ? null : { seq: Number(row.seq), time: String(row.time) }
}

class FoundRows {
  #count = 0
  #example: string | null = null

  add(count: number, example: unknown): void {
    this.#count += count
    if (count > 0) this.#example ??= String(example)
  }

  get isEmpty(): boolean {
    return this.#count === 0
  }

  tell(what: string): string[] {
    return this.#count === 0 ? [] : [`${this.#count} ${what}, for example ${this.#example}.`]
  }
}

/** Finds rows that are gone without an entry. Returns the row number after which each row must have an entry; infinite: none must. */
async function checkEntries(
  logged: LoggedTable,
  oldest: { seq: number; time: string } | null,
  select: SelectObjects,
  missing: FoundRows,
): Promise<number> {
  const entries = entriesOf(logged)
  const rows = quoteName(logged.table)
  const of = (column: string, version: string) =>
    `(SELECT max(${column}) FROM ${entries} AS e WHERE e.id = l.id AND e.version = l.${version})`
  const tombstone = `SELECT 1 FROM twain_tombstone AS d WHERE d.resource = ${quoteText(logged.type)} AND d.id = l.id`
  const since = oldest === null ? '' : afterAnHour(oldest.time)
  const isNew = `${of('kind', 'first')} = 'created' AND ${of('time', 'first')} >= ${quoteText(since)} AND NOT EXISTS (${tombstone})`
  let youngerThan = oldest?.seq === 1 ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY
  for (let last = ''; ; ) {
    const [step] = await select(
      `SELECT count(*) AS count, max(id) AS last, min(number) AS number, sum(CASE WHEN lacks THEN 1 ELSE 0 END) AS missing,
        min(CASE WHEN lacks THEN id END) AS example
      FROM (SELECT l.id,
        NOT EXISTS (SELECT 1 FROM ${rows} AS t WHERE t.id = l.id) AND ${of('kind', 'last')} <> 'deleted' AS lacks,
        CASE WHEN ${isNew} THEN (SELECT _n FROM ${rows} AS t WHERE t.id = l.id AND t._version > 0) END AS number
        FROM (SELECT id, min(version) AS first, max(version) AS last FROM ${entries} AS e
          WHERE id > ${quoteText(last)} GROUP BY id ORDER BY id LIMIT ${idsPerStep}) AS l) AS judged`,
    )
    if (Number(step!.count) === 0) return youngerThan
    last = String(step!.last)
    missing.add(Number(step!.missing), step!.example)
    if (step!.number !== null) youngerThan = Math.min(youngerThan, Number(step!.number))
  }
}

async function checkRows(
  logged: LoggedTable,
  youngerThan: number,
  select: SelectObjects,
  different: FoundRows,
  unlogged: FoundRows,
): Promise<void> {
  const entries = entriesOf(logged)
  const rows = quoteName(logged.table)
  const kept = `SELECT max(after) FROM twain_history WHERE resource = ${quoteText(logged.type)} AND id = t.id AND version = t.version`
  const of = (column: string) => `(SELECT max(${column}) FROM ${entries} AS e WHERE e.id = t.id AND e.version = t.last)`
  for (let last: string | null = ''; last !== null; ) {
    const after = `id > ${quoteText(last)}`
    const [end] = await select(`SELECT id FROM ${rows} WHERE ${after} ORDER BY id LIMIT 1 OFFSET ${rowsPerStep - 1}`)
    last = end === undefined ? null : String(end.id)
    const range = last === null ? after : `${after} AND id <= ${quoteText(last)}`
    const suspects = await select(
      `SELECT * FROM (SELECT t.*, ${of('kind')} AS kind, ${of('time')} AS time, coalesce(${of('after')}, (${kept})) AS after
      FROM (SELECT t.id, t._n AS number, t._version AS version, ${logged.image} AS image,
        (SELECT max(version) FROM ${entries} AS e WHERE e.id = t.id) AS last
        FROM ${rows} AS t WHERE ${range} AND t._version > 0) AS t) AS judged
      WHERE kind = 'deleted' OR last <> version OR after IS NULL OR after <> image`,
    )
    for (const row of suspects) {
      if (row.after === null && row.last === null) unlogged.add(Number(row.number) > youngerThan ? 1 : 0, row.id)
      else if (isDifferent(row, logged)) different.add(1, row.id)
    }
  }
}

function isDifferent(row: Record<string, unknown>, { table, returned }: LoggedTable): boolean {
  const { kind, last, version, after, image, time } = row
  if (kind === 'deleted' || after === null || (last !== null && Number(last) !== Number(version))) return true
  const [then, now] = [JSON.parse(String(after)), JSON.parse(String(image))] as Record<string, unknown>[]
  const isOther = (column: string) => String(time ?? '') < (returned.get(`${table}.${column}`) ?? '')
  return Object.keys(now!).some((column) => {
    return Object.hasOwn(then!, column) && then![column] !== now![column] && !isOther(column)
  })
}

/** The entries of the type, as a row source. */
function entriesOf({ type, table, returned }: LoggedTable): string {
  const since = returned.get(table)
  const isOfTable = since === undefined ? '' : ` AND time >= ${quoteText(since)}`
  return `(SELECT * FROM twain_change WHERE resource = ${quoteText(type)}${isOfTable})`
}

function afterAnHour(time: string): string {
  return new Date(Date.parse(time) + numbersDifferMs).toISOString()
}

// The locks of the rows that a rule reads beside the row that it judges. Each is a statement in front of the one that judges, in the
// same round trip: a statement at READ COMMITTED that waited for a row sees the new version of that row, and all else as it was when
// the statement began. So the lock must have been granted before the rule is evaluated.
//
// 1. Rows are locked after those that they are found from: then these can't lead to other rows any more.
// 2. The rows of one statement are locked in the order of their ids.
// 3. Of a list in which one row must match, the first `maxWitnesses` that match are locked: one of them stays.
// 4. That a row is not in a list is locked by the list and its owner. Whoever adds a row to such a list takes that lock alone
//    (`WriterContext.lockLists`).

import type { LinksField, ReferenceField, Resource } from '#model'
import type { Guard, Where } from '#plan'
import { columnOf, type Layout, linkSides, storageTypeOf, tableOf } from '../tables/layout.ts'
import { quoteName, quoteText } from '../tables/quote.ts'
import type { Dialect } from './dialect.ts'
import type { CompiledRead } from './read.ts'
import { findRuleReads, type RuleRows, type RuleStep } from './rule-reads.ts'
import { SqlRow, SqlRowById } from './sql-row.ts'
import { and, StatementBuilder } from './statement-builder.ts'
import { asksIdOnly, compileLinkedType, compileWhere } from './where.ts'
import type { WriteDialect } from './write-dialect.ts'

/** Null in place of it: the writes of the service need no such locks. */
export type RuleLockDialect = Pick<WriteDialect, 'lock' | 'lockShared' | 'shareListOf'>

/** What a rule judges: a stored row that the write has locked, one that it has not, or one that is not written yet. */
export type JudgedRow = 'locked' | 'unlocked' | 'virtual'

const maxWitnesses = 8

export function compileRuleLocks(
  guard: Guard,
  of: Resource,
  judged: JudgedRow,
  layout: Layout,
  dialect: Dialect,
  locks: RuleLockDialect,
): CompiledRead[] {
  const [own, ...others] = findRuleReads(guard, of)
  const compiled: CompiledRead[] = []
  const add = (build: (rows: RowsSql) => string) => {
    const statement = new StatementBuilder(dialect)
    const sql = build(new RowsSql(judged, layout, statement))
    if (!compiled.some((one) => one.sql === sql)) compiled.push({ sql, parameters: statement.parameters })
  }
  if (judged === 'unlocked' && own.isRead) add((sql) => sql.lockRows(own, locks.lockShared))
  for (const rows of others) {
    if (tableOf(layout, rows.of).source !== undefined) continue // a type of the server itself
    const { step } = rows.from!
    if (rows.isAbsence && step.kind !== 'reference')
      add((sql) => locks.shareListOf(quoteText(listName(step, layout)), sql.owners(rows)))
    else if (step.kind === 'links') add((sql) => sql.lockLinks(rows, locks.lock.refer))
    const isListed = step.kind === 'list'
    if (rows.isAbsence ? rows.isRead && !isListed : rows.isRead || isListed)
      add((sql) => sql.lockRows(rows, locks.lockShared))
  }
  return compiled
}

/** What the lock of a list is called: also by nodes that serve another version of the schema. */
export function listName(step: ListOfRows, layout: Layout): string {
  if (step.kind === 'links') return `${layout.links.get(step.field.link)!.name}.${step.field.side}`
  return `${storageTypeOf(layout, step.via.owner)}.${columnOf(layout, step.via).name}`
}

/** A list, without its condition. */
type ListOfRows = { kind: 'links'; field: LinksField } | { kind: 'list'; via: ReferenceField }

/** A value of each of some rows, as SQL: of one row, or of several. */
interface RowValues {
  sql: string
  isOne: boolean
}

/** The SQL that finds the rows of a rule in one statement. */
class RowsSql {
  readonly #judged: JudgedRow
  readonly #layout: Layout
  readonly #statement: StatementBuilder

  constructor(judged: JudgedRow, layout: Layout, statement: StatementBuilder) {
    this.#judged = judged
    this.#layout = layout
    this.#statement = statement
  }

  lockRows(rows: RuleRows, lock: string): string {
    const row = this.#row(rows)
    const isWitness = !rows.isAbsence && rows.from !== null && rows.from.step.kind !== 'reference'
    const most = isWitness ? ` LIMIT ${maxWitnesses}` : ''
    const { condition, isOne } = this.#condition(rows, row)
    const order = isOne ? '' : ` ORDER BY ${row.id}`
    return `SELECT 1 FROM ${this.#from(row)} WHERE ${condition}${order}${most}${lock} OF ${row.alias}`
  }

  lockLinks(rows: RuleRows, lock: string): string {
    const { step, rows: owners } = rows.from!
    if (step.kind !== 'links') throw new Error('only links have rows of their own')
    const { link, own, far, condition } = this.#links(rows, owners, step)
    const { where } = step
    let matches: string | null = null
    if (where !== null) {
      const isById = asksIdOnly(where)
      const row = isById ? new SqlRowById(far, rows.of, this.#layout) : this.#row(rows)
      const holds = compileWhere(where, row, this.#statement)
      matches = isById ? holds : `${far} IN (SELECT ${row.id} FROM ${this.#from(row)} WHERE ${holds})`
    }
    const order = `${link}.${quoteName(own)}, ${far}`
    const { name } = this.#layout.links.get(step.field.link)!
    return `SELECT 1 FROM ${quoteName(name)} AS ${link} WHERE ${and([condition, matches])} ORDER BY ${order} LIMIT ${maxWitnesses}${lock} OF ${link}`
  }

  /** The ids of the rows that have the list. */
  owners({ from }: RuleRows): string {
    const { sql, isOne } = this.#values(from!.rows, (row) => row.id)
    return isOne ? `(SELECT ${sql})` : sql
  }

  #row({ of }: RuleRows): SqlRow {
    return new SqlRow(this.#statement.alias(), of, this.#layout)
  }

  #from({ alias, resource }: SqlRow): string {
    return `${quoteName(tableOf(this.#layout, resource).name)} AS ${alias}`
  }

  /** The condition that `row` is one of the rows. */
  #condition(rows: RuleRows, row: SqlRow): { condition: string; isOne: boolean } {
    if (rows.from === null) return { condition: `${row.id} = ${this.#statement.id()}`, isOne: true }
    const { step, rows: before } = rows.from
    switch (step.kind) {
      case 'reference': {
        const found = this.#values(before, (one) => one.reference(step.field).id, this.#isOfType(step.field, rows.of))
        return { condition: isAmong(row.id, found), isOne: found.isOne }
      }
      case 'list': {
        const { id, type } = row.reference(step.via)
        const isOwner = isAmong(
          id,
          this.#values(before, (one) => one.id),
        )
        const isType = type === null ? null : `${type} = ${quoteText(storageTypeOf(this.#layout, before.of))}`
        return { condition: and([isOwner, isType, this.#matches(step.where, row)]), isOne: false }
      }
      case 'links': {
        const { link, far, condition } = this.#links(rows, before, step)
        const { name } = this.#layout.links.get(step.field.link)!
        const isLinked = `${row.id} IN (SELECT ${far} FROM ${quoteName(name)} AS ${link} WHERE ${condition})`
        return { condition: and([isLinked, this.#matches(step.where, row)]), isOne: false }
      }
    }
  }

  #matches(where: Where | null, row: SqlRow): string | null {
    return where === null ? null : compileWhere(where, row, this.#statement)
  }

  #links(rows: RuleRows, owners: RuleRows, { field }: RuleStep & { kind: 'links' }) {
    const { own, other } = linkSides(this.#layout, field)
    const link = this.#statement.alias()
    const isOwner = isAmong(
      `${link}.${quoteName(own)}`,
      this.#values(owners, (one) => one.id),
    )
    const isType = compileLinkedType(field, link, this.#row(rows))
    return { link, own, far: `${link}.${quoteName(other)}`, condition: and([isOwner, isType]) }
  }

  /** Null: the reference leads to one type only. */
  #isOfType(field: ReferenceField, of: Resource): (row: SqlRow) => string | null {
    return (row) => {
      const { type } = row.reference(field)
      return type === null ? null : `${type} = ${quoteText(storageTypeOf(this.#layout, of))}`
    }
  }

  /** What `select` takes of each of the rows that meet the condition. */
  #values(
    rows: RuleRows,
    select: (row: SqlRow) => string,
    meets: (row: SqlRow) => string | null = () => null,
  ): RowValues {
    if (rows.from === null && this.#judged === 'virtual') {
      const row = new BoundRow(rows.of, this.#layout, this.#statement)
      const condition = meets(row)
      return { sql: condition === null ? select(row) : `CASE WHEN ${condition} THEN ${select(row)} END`, isOne: true }
    }
    const row = this.#row(rows)
    if (rows.from === null && select(row) === row.id) return { sql: this.#statement.id(), isOne: true }
    const { condition, isOne } = this.#condition(rows, row)
    const own = and([condition, meets(row)])
    return { sql: `(SELECT ${select(row)} FROM ${this.#from(row)} WHERE ${own})`, isOne }
  }
}

function isAmong(column: string, { sql, isOne }: RowValues): string {
  return isOne ? `${column} = ${sql}` : `${column} IN ${sql}`
}

/** A row that is not written yet: its columns are parameters. */
class BoundRow extends SqlRow {
  readonly #statement: StatementBuilder

  constructor(of: Resource, layout: Layout, statement: StatementBuilder) {
    super('', of, layout)
    this.#statement = statement
  }

  override column(column: string): string {
    // As the id of a stored row, so that both are one lock.
    return this.#statement.column(column, { kind: 'plain' })
  }
}

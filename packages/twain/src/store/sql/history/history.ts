// The history of a row → SQL of a connection: its entries in the change log, the newest first, each with the fields that it
// changed.
//
// 1. The row of the statement is the row as it is now. An entry is shown if the viewer may read the row before and after the
//    change; a field of it, if the viewer may read the field then and now.
// 2. An update of which the viewer may read no changed field is left out, as in the feed.
// 3. A page is a range of the index over type, id and version.

import { unreachable } from '#base'
import type {
  ChangedField,
  EntrySelection,
  FieldChangeSelection,
  Guard,
  HistoryEdgeSelection,
  HistoryRead,
  HistorySelection,
  PageInfoSelection,
} from '#plan'
import { historyName, newestVersion } from '#plan/build'
import { quoteText } from '../../tables/quote.ts'
import { type ShownRows, shownSource } from '../shown-rows.ts'
import type { SqlRow } from '../sql-row.ts'
import { and, joined, type StatementBuilder } from '../statement-builder.ts'
import { compileGuard, compileWhere, countMissFunction, isConstant } from '../where.ts'
import { EntryRow, loggedColumns } from './entry-row.ts'
import { entriesOf } from './entry-source.ts'
import { compileLinkIds, compileListsDiffer, linksName } from './link-ids.ts'

/** Compiles the value of a selection of a field, without its guard. */
export type CompileValue = (
  selection: (ChangedField & { kind: 'field' })['selection'],
  row: SqlRow,
  statement: StatementBuilder,
) => string

export function compileHistory(
  read: HistoryRead,
  now: SqlRow,
  statement: StatementBuilder,
  compileValue: CompileValue,
): string {
  return new HistoryCompiler(read, now, statement, compileValue).compile()
}

/** The images of one entry. */
interface EntryRows {
  before: EntryRow
  after: EntryRow
}

class HistoryCompiler {
  readonly #read: HistoryRead
  readonly #now: SqlRow
  readonly #statement: StatementBuilder
  readonly #compileValue: CompileValue
  readonly #table: string
  readonly #alias: string
  readonly #entry: EntryRows
  readonly #size: string
  readonly #below: string

  constructor(read: HistoryRead, now: SqlRow, statement: StatementBuilder, compileValue: CompileValue) {
    this.#read = read
    this.#now = now
    this.#statement = statement
    this.#compileValue = compileValue
    this.#table = statement.alias()
    this.#alias = statement.alias()
    this.#entry = this.#rowsOf(this.#alias)
    this.#size = statement.dialect.size(statement.bind(read.first, { kind: 'number' }))
    this.#below = statement.bind(read.below, { kind: 'number' })
  }

  compile(): string {
    const { dialect } = this.#statement
    const members = this.#read.selections.map((one): [string, string] => [one.key, this.#connectionMember(one)])
    return `(WITH ${this.#table} AS MATERIALIZED (${this.#entries()}) SELECT ${dialect.object(members)})`
  }

  #rowsOf(alias: string): EntryRows {
    const { of } = this.#read
    const { layout } = this.#now
    const { dialect } = this.#statement
    return {
      before: new EntryRow(alias, 'before', of, layout, dialect),
      after: new EntryRow(alias, 'after', of, layout, dialect),
    }
  }

  /** The entries of the page, and one more. */
  #entries(): string {
    const alias = this.#statement.alias()
    const { dialect } = this.#statement
    const conditions = and([
      `resource = ${this.#now.typeName} AND id = ${this.#now.id} AND version < ${this.#below}`,
      'version > 0',
    ])
    const images = ['before', 'after'].map((image) => `${dialect.parsed(image)} AS ${image}`)
    const columns = ['id', 'kind', 'version', 'time', 'by', 'via', ...images].join(', ')
    const source = `${entriesOf(this.#read.of, columns, conditions)} AS ${alias}`
    const visible = this.#visible(this.#rowsOf(alias))
    const where = visible.length === 0 ? '' : ` WHERE ${this.#counted(visible.join(' AND '))}`
    return `SELECT * FROM ${source}${where} ORDER BY version DESC LIMIT ${this.#size} + 1`
  }

  /** Only the entries show how many of them are left out. */
  #counted(condition: string): string {
    if (!this.#statement.countsMisses) return condition
    return `CASE WHEN ${condition} THEN 1 ELSE ${countMissFunction}() END`
  }

  /** The conditions under which an entry is shown. */
  #visible(entry: EntryRows): string[] {
    const { guard, now, fields } = this.#read
    const conditions: string[] = []
    if (now !== undefined) conditions.push(`(${compileWhere(now, this.#now, this.#statement)})`)
    if (guard !== undefined) conditions.push(this.#holdsThen(guard, entry))
    if (showsAll(this.#read)) return conditions
    const shown = fields.map((field) => this.#isShown(field, entry)).filter((one) => one !== null)
    const isShown = shown.length === 0 ? 'FALSE' : joined(shown, 'OR')
    conditions.push(`(${entry.after.alias}.kind <> 'updated' OR ${isShown})`)
    return conditions
  }

  /** Whether the guard holds for the row before and after the change, as far as there is one. */
  #holdsThen(guard: Guard, { before, after }: EntryRows): string {
    const [then, since] = [before, after].map((row) => compileWhere(guard, row, this.#statement))
    const { alias } = after
    return `(${alias}.kind = 'created' OR ${then}) AND (${alias}.kind = 'deleted' OR ${since})`
  }

  /** Whether the entry shows that the field changed; null: never. */
  #isShown(changed: ChangedField, entry: EntryRows): string | null {
    const guard = guardOf(changed)
    if (guard !== undefined && isConstant(guard, false)) return null
    const { layout } = this.#now
    const columns =
      changed.kind === 'links' ? [linksName(changed.field, layout)] : loggedColumns(this.#read.of, layout, changed.name)
    const isChanged = and([entry.after.isChanged(columns), this.#showsDifference(changed, entry)])
    if (guard === undefined) return isChanged
    return and([isChanged, this.#holdsThen(guard, entry), compileGuard(guard, this.#now, this.#statement)])
  }

  /** A change between rows that the viewer may not read would show as one from nothing to nothing. */
  #showsDifference(changed: ChangedField, { before, after }: EntryRows): string | null {
    const { layout } = this.#now
    if (changed.kind === 'links') {
      const name = linksName(changed.field, layout)
      return compileListsDiffer(changed, [before.links(name), after.links(name)], layout, this.#statement)
    }
    const { selection } = changed
    if (selection.kind !== 'id' || selection.targets === undefined) return null
    const [was, is] = [before, after].map((row) => this.#compileValue(selection, row, this.#statement))
    return `(${after.alias}.kind <> 'created' AND ${was} IS NOT NULL OR ${is} IS NOT NULL)`
  }

  #connectionMember(selection: HistorySelection): string {
    const { dialect } = this.#statement
    switch (selection.kind) {
      case 'constant':
        return quoteText(selection.value)
      case 'edges':
        return dialect.objects(
          selection.selections.map((one): [string, string] => [one.key, this.#edgeMember(one)]),
          shownSource(this.#shown()),
        )
      case 'pageInfo':
        return dialect.object(selection.selections.map((one) => [one.key, this.#pageInfoMember(one)]))
      default:
        return unreachable(selection)
    }
  }

  #shown(): ShownRows {
    return { table: this.#table, alias: this.#alias, size: this.#size }
  }

  #edgeMember(selection: HistoryEdgeSelection): string {
    switch (selection.kind) {
      case 'constant':
        return quoteText(selection.value)
      case 'cursor':
        return this.#statement.dialect.cursor(historyName(this.#read.of), this.#cursorKeys())
      case 'node':
        return this.#statement.dialect.object(selection.selections.map((one) => [one.key, this.#entryMember(one)]))
      default:
        return unreachable(selection)
    }
  }

  #cursorKeys(): string[] {
    return [this.#statement.dialect.key(`${this.#alias}.version`)]
  }

  #pageInfoMember(selection: PageInfoSelection): string {
    const { dialect } = this.#statement
    const name = historyName(this.#read.of)
    switch (selection.kind) {
      case 'constant':
        return quoteText(selection.value)
      case 'hasNextPage':
        return dialect.flag(`(SELECT count(*) FROM ${this.#table}) > ${this.#size}`)
      case 'hasPreviousPage':
        return dialect.flag(`${this.#below} < ${newestVersion}`)
      case 'startCursor':
        return `(SELECT ${dialect.cursor(name, this.#cursorKeys())} FROM ${shownSource(this.#shown())} LIMIT 1)`
      case 'endCursor':
        return dialect.lastCursor(name, this.#cursorKeys(), this.#shown())
      default:
        return unreachable(selection)
    }
  }

  #entryMember(selection: EntrySelection): string {
    switch (selection.kind) {
      case 'constant':
        return quoteText(selection.value)
      case 'kind':
        return `upper(${this.#alias}.kind)`
      case 'version':
      case 'time':
        return `${this.#alias}.${selection.kind}`
      case 'by':
      case 'via':
        return this.#author(`${this.#alias}.${selection.kind}`)
      case 'changed':
        return this.#changed(selection.selections)
      default:
        return unreachable(selection)
    }
  }

  /** NULL for a viewer without AUDIT. */
  #author(column: string): string {
    const { audit } = this.#read
    if (audit === undefined || isConstant(audit, false)) return 'NULL'
    if (isConstant(audit, true)) return column
    const { before, after } = this.#entry
    const then = [before, after].map((row) => compileWhere(audit, row, this.#statement)).join(' OR ')
    return `CASE WHEN (${then}) AND ${compileGuard(audit, this.#now, this.#statement)} THEN ${column} END`
  }

  #changed(selections: readonly FieldChangeSelection[]): string {
    const { dialect } = this.#statement
    const items = this.#read.fields.flatMap((changed) => {
      const condition = this.#isShown(changed, this.#entry)
      if (condition === null) return []
      const members = selections.map((one): [string, string] => [one.key, this.#fieldMember(one, changed)])
      return [{ condition, json: dialect.object(members) }]
    })
    return dialect.itemsWhere(items)
  }

  #fieldMember(selection: FieldChangeSelection, changed: ChangedField): string {
    switch (selection.kind) {
      case 'constant':
        return quoteText(selection.value)
      case 'field':
        return quoteText(changed.name)
      case 'before':
      case 'after':
        return this.#value(changed, this.#entry[selection.kind], selection.kind)
      default:
        return unreachable(selection)
    }
  }

  /** The value before a create is null. */
  #value(changed: ChangedField, row: EntryRow, image: 'before' | 'after'): string {
    if (changed.kind === 'links') {
      const { layout } = this.#now
      return compileLinkIds(changed, row.links(linksName(changed.field, layout)), layout, this.#statement)
    }
    const value = this.#compileValue(changed.selection, row, this.#statement)
    return image === 'after' ? value : `CASE WHEN ${row.alias}.kind <> 'created' THEN ${value} END`
  }
}

/** Whether the viewer may not see some entries of the row. */
export function mayOmitEntries(read: HistoryRead): boolean {
  return read.now !== undefined || read.guard !== undefined || !showsAll(read)
}

/** Whether the viewer may read every field, so that every change shows. One that they can never read is not in the plan. */
function showsAll({ of, fields }: HistoryRead): boolean {
  const logged = [...of.fields.values()].filter(
    ({ kind, name }) => kind !== 'many' && kind !== 'inverse' && name !== 'id',
  )
  return logged.length === fields.length && fields.every(isAlwaysShown)
}

/** Whether every change of the field shows. */
function isAlwaysShown(changed: ChangedField): boolean {
  if (guardOf(changed) !== undefined) return false
  const shown = changed.kind === 'links' ? changed : changed.selection
  return !('targets' in shown) || shown.targets === undefined
}

function guardOf(changed: ChangedField): Guard | undefined {
  return changed.kind === 'links' ? changed.guard : changed.selection.guard
}

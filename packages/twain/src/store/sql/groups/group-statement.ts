// The statement of groups: two SELECTs inside each other. The inner one has the values of each row; the outer one has the groups
// with their measures, filtered, in order, and only those of the page. The JSON is made of these.

import { unreachable } from '#base'
import { isFolded, type MeasureOperator, membersOf } from '#model'
import type { GroupCondition, GroupedField, GroupKey, GroupRead, GroupSelection, Measure } from '#plan'
import { pathOf } from '#plan/build'
import { quoteText } from '../../tables/quote.ts'
import type { MeasureSql } from '../aggregates/aggregate-dialect.ts'
import type { Members } from '../dialect.ts'
import type { PageScope } from '../page-scope.ts'
import { compileScope, compileSize } from '../rows.ts'
import { SqlRow } from '../sql-row.ts'
import { and, type StatementBuilder } from '../statement-builder.ts'
import { storedJson } from '../stored-json.ts'
import { compileGroupFilter } from './group-filter.ts'
import { GroupValues } from './group-values.ts'

const comparisons: Readonly<Record<MeasureOperator, string>> = {
  eq: '=',
  ne: 'IS DISTINCT FROM',
  lt: '<',
  lte: '<=',
  gt: '>',
  gte: '>=',
}

interface MeasuredValue {
  target: GroupedField
  /** Whether it is a text with its key, for the least and the greatest text. */
  ordered: boolean
}

interface KeySql {
  /** Equal for the rows of a group. */
  value: string
  /** What groups are sorted by. */
  order: string
  json(value: string): string
}

export class GroupStatement {
  readonly #read: GroupRead
  readonly #scope: PageScope | null
  readonly #near: SqlRow
  readonly #statement: StatementBuilder
  /** The rows with their values, as a table. */
  readonly #rows: string
  readonly #keys: readonly KeySql[]
  /** What is measured, each value once: its column is `v` and its index. */
  readonly #values: MeasuredValue[] = []
  /** The selected measures, each once: its column is `m` and its index. */
  readonly #selected: MeasureSql[] = []

  constructor(read: GroupRead, scope: PageScope | null, near: SqlRow, statement: StatementBuilder) {
    this.#read = read
    this.#scope = scope
    this.#near = near
    this.#statement = statement
    this.#rows = statement.alias()
    this.#keys = (read.by ?? []).map((key, index) => this.#key(key, `${this.#rows}.k${index}`))
  }

  /** The array of the groups of a source, or the object of its one group. The source is compiled last: by then it is known what
   *  is selected. */
  json(alias: string, source: () => string): string {
    const { dialect } = this.#statement
    const members = this.#members(this.#read.selections, alias)
    return this.#read.by === null ? dialect.objectOf(members, source()) : dialect.objects(members, source())
  }

  /** The groups of the page, and so many behind it. */
  page(extra: number): string {
    const { page, order } = this.#read
    if (page === null) return this.#groups()
    const { limit, offset } = compileSize(page, this.#statement, extra)
    const keys = order.map((key) => {
      const value = key.kind === 'key' ? this.#keys[key.of]!.order : this.#measure(key.measure).value
      return `${value} ${key.direction} NULLS LAST`
    })
    return `${this.#groups()} ORDER BY ${keys.join(', ')} LIMIT ${limit} OFFSET ${offset}`
  }

  /** The number of groups. Those of the page have it; behind the last page they are counted. */
  total(page: string): string {
    const all = `SELECT count(*) FROM (${this.#groups()})${this.#statement.dialect.subqueryAlias}`
    return `coalesce((SELECT total FROM ${page} LIMIT 1), (${all}))`
  }

  #groups(): string {
    const keys = this.#keys.map(({ value }) => value)
    const having = this.#read.having.map((condition) => this.#condition(condition))
    const columns = [
      ...keys.map((value, index) => `${value} AS k${index}`),
      ...this.#selected.map(({ value }, index) => `${value} AS m${index}`),
      ...(this.#read.total === true ? ['count(*) OVER () AS total'] : []),
    ]
    const by = keys.length === 0 ? '' : ` GROUP BY ${keys.join(', ')}`
    const conditions = having.length === 0 ? '' : ` HAVING ${and(having)}`
    return `SELECT ${columns.join(', ') || 'count(*)'} FROM (${this.#source()}) AS ${this.#rows}${by}${conditions}`
  }

  /** The rows of all types, with the values that the groups need. */
  #source(): string {
    const { of, by } = this.#read
    const targets = [...(by ?? []).map(({ target }) => ({ target, ordered: false })), ...this.#values]
    const selects = membersOf(of).map((resource) => {
      const row = new SqlRow(this.#statement.alias(), resource, this.#near.layout)
      const values = new GroupValues(row, this.#statement)
      const columns = targets.map(({ target, ordered }, index) => {
        const name = index < this.#keys.length ? `k${index}` : `v${index - this.#keys.length}`
        return `${values.value(target, ordered)} AS ${name}`
      })
      const filter = compileGroupFilter(this.#read, row, this.#scope, this.#statement)
      const { from, on } = compileScope(row, this.#scope, filter, this.#statement)
      return `SELECT ${columns.join(', ') || '1 AS one'} FROM ${from}${values.joins} WHERE ${and([on])}`
    })
    const rows = selects.join(' UNION ALL ')
    return targets.every(({ target }) => isColumn(target)) ? rows : `${rows}${this.#statement.dialect.aggregates.fence}`
  }

  #key({ target, part }: GroupKey, column: string): KeySql {
    const { type } = target.field
    const statement = this.#statement
    if (part === null) {
      const { dialect } = statement
      return {
        value: column,
        order: isFolded(target.field) ? dialect.rank(dialect.textKey(column), column) : column,
        json: (value) => storedJson(type, value, statement, this.#near.layout.codes),
      }
    }
    const { timeZone } = this.#read
    const key = statement.dialect.aggregates.timeKey(part, type, column, (value) =>
      statement.bind(timeZone!, { kind: 'zone', type: value }),
    )
    return { ...key, order: key.value }
  }

  #measure(measure: Measure): MeasureSql {
    const { dialect } = this.#statement
    if (measure.kind === 'count') return dialect.aggregates.count()
    const { target, kind } = measure
    const ordered = (kind === 'min' || kind === 'max') && isFolded(target.field)
    const isSame = (other: MeasuredValue) => pathOf(other.target) === pathOf(target) && other.ordered === ordered
    const known = this.#values.findIndex(isSame)
    const index = known >= 0 ? known : this.#values.push({ target, ordered }) - 1
    const column = `${this.#rows}.v${index}`
    if (!ordered) return dialect.aggregates.measure(kind, target.field.type, column)
    return { value: `${kind}(${column})`, encoding: { kind: 'rank' }, json: dialect.rankedText }
  }

  #condition(condition: GroupCondition): string {
    const { value, encoding } = this.#measure(condition.measure)
    if (condition.kind === 'null') return `${value} IS ${condition.is ? '' : 'NOT '}NULL`
    return `${value} ${comparisons[condition.op]} ${this.#statement.bind(condition.parameter, encoding)}`
  }

  #members(selections: readonly GroupSelection[], alias: string): Members {
    return selections.map((selection) => [selection.key, this.#member(selection, alias)])
  }

  #member(selection: GroupSelection, alias: string): string {
    switch (selection.kind) {
      case 'constant':
        return quoteText(selection.value)
      case 'key':
        return this.#keys[selection.of]!.json(`${alias}.k${selection.of}`)
      case 'measure': {
        const sql = this.#measure(selection.measure)
        const known = this.#selected.findIndex(({ value }) => value === sql.value)
        const index = known >= 0 ? known : this.#selected.push(sql) - 1
        return sql.json(`${alias}.m${index}`)
      }
      case 'object':
        return this.#statement.dialect.object(this.#members(selection.selections, alias))
      default:
        return unreachable(selection)
    }
  }
}

/** Whether the value of each row is a column of its table. */
function isColumn({ through, guard }: GroupedField): boolean {
  return through.length === 0 && guard === undefined
}

// A subscription → two statements, for a list of changes and a set of viewers at once: which viewer may see which change
// (visibility), and the text of the rows (rendering). The rows are in no table: they are the images of the change log, bound
// as one JSON array of `{"i": id, "v": version, "t": time, "a": the row after, "b": the row before}`.
//
// 1. The compiler of reads also compiles these guards and selections, over a row whose columns are those of the image.
// 2. The viewer is a column and not a parameter, so one statement checks a thousand viewers. If nothing depends on the
//    viewer, one row is for all of them.
// 3. An entry may be older than a field. Then the field has its default; a time that the server sets is that of the change.
//    A required field without a default is left out, like a field that the viewer may not read.

import type { Field, ReferenceField, Resource, StoredField } from '#model'
import type { AuthorizedPlan, SubscriptionPlan, Where } from '#plan'
import { defaultValue } from '#plan/build'
import { columnOf, type Layout, tableOf } from '../tables/layout.ts'
import { quoteName } from '../tables/quote.ts'
import type { Dialect, Member } from './dialect.ts'
import { encodeColumn } from './encode.ts'
import type { CompiledRead } from './read.ts'
import { compileMembers } from './selection.ts'
import { SqlRow } from './sql-row.ts'
import { StatementBuilder } from './statement-builder.ts'
import { compileWhere, from, isConstant } from './where.ts'

export interface CompiledSubscription {
  /** Null: every viewer sees every change. Columns: the change, the viewer, visible before, visible after, hidden now, and for
   *  each of `fields` whether the viewer may read it. */
  visibility: SubscriptionStatement | null
  /** The fields that `visibility` checks: those that some viewers may read on some rows. */
  fields: readonly Field[]
  /** The fields that no viewer of this class may read. */
  hidden: readonly Field[]
  /** Columns: the change, the viewer, the text. */
  rendering: SubscriptionStatement
}

export interface SubscriptionStatement extends CompiledRead {
  /** Whether it returns a row for each viewer; else the viewer's column is 0 and the row is for all. */
  perViewer: boolean
}

export function compileSubscription(
  plan: AuthorizedPlan<SubscriptionPlan>,
  layout: Layout,
  dialect: Dialect,
): CompiledSubscription {
  const guarded = plan.guarded ?? []
  const checked = guarded.filter(({ guard }) => !isConstant(guard, false))
  return {
    visibility: compileVisibility(plan, checked, layout, dialect),
    fields: checked.map(({ field }) => field),
    hidden: guarded.filter(({ guard }) => isConstant(guard, false)).map(({ field }) => field),
    rendering: compileRendering(plan, layout, dialect),
  }
}

type GuardedFields = NonNullable<SubscriptionPlan['guarded']>

function compileVisibility(
  plan: SubscriptionPlan,
  checked: GuardedFields,
  layout: Layout,
  dialect: Dialect,
): SubscriptionStatement | null {
  const { of, guard, where } = plan
  if (guard === undefined && where === null && checked.length === 0) return null
  const images = new ChangeImages(of, layout, dialect)
  const { before, after, statement } = images
  const seen = [guard, where].filter((part) => part !== undefined && part !== null)
  const isSeen = (row: SqlRow): string => flag(compileWhere({ kind: 'and', of: seen }, row, statement))
  const columns = [
    seen.length === 0 ? '1' : isSeen(before),
    seen.length === 0 ? '1' : isSeen(after),
    guard === undefined ? '0' : flag(hiddenNow(guard, images, layout)),
    ...checked.map(({ guard }) =>
      flag(`${compileWhere(guard, before, statement)} OR ${compileWhere(guard, after, statement)}`),
    ),
  ]
  return images.select(columns)
}

/** The row in the version of the change equals its image, which is already checked. */
function hiddenNow(guard: Where, { after, statement }: ChangeImages, layout: Layout): string {
  const now = new SqlRow(statement.alias(), after.resource, layout)
  const isOther = `${now.id} = ${after.id} AND ${now.version} <> ${after.version}`
  return `EXISTS (SELECT 1 FROM ${from(now)} WHERE ${isOther} AND ${compileWhere(guard, now, statement, true)})`
}

function compileRendering(
  { of, selections }: SubscriptionPlan,
  layout: Layout,
  dialect: Dialect,
): SubscriptionStatement {
  const images = new ChangeImages(of, layout, dialect)
  const object = dialect.object(compileMembers(selections, images.after, images.statement))
  return images.select([dialect.resultText(object)])
}

function flag(condition: string): string {
  return `CASE WHEN ${condition} THEN 1 ELSE 0 END`
}

/** The bound changes as rows of one source, and a statement whose viewer is one of the bound viewers. */
class ChangeImages {
  readonly statement: ChangesStatementBuilder
  readonly before: ImageRow
  readonly after: ImageRow
  readonly #alias: string

  constructor(of: Resource, layout: Layout, dialect: Dialect) {
    this.statement = new ChangesStatementBuilder(dialect)
    this.#alias = this.statement.alias()
    this.before = new ImageRow(this.#alias, 'b', of, layout)
    this.after = new ImageRow(this.#alias, 'a', of, layout)
  }

  select(columns: readonly string[]): SubscriptionStatement {
    const { dialect, usesViewer } = this.statement
    const members = [...this.before.members(), ...this.after.members()]
    const changes = dialect.records(this.statement.list('changes'), members, this.#alias)
    const viewers = usesViewer ? ` CROSS JOIN ${dialect.texts(this.statement.list('viewers'), viewerAlias)}` : ''
    const heads = [`${this.#alias}.n`, usesViewer ? `${viewerAlias}.n` : '0']
    const sql = `SELECT ${[...heads, ...columns].join(', ')} FROM ${changes}${viewers}`
    return { sql, parameters: this.statement.parameters, perViewer: usesViewer }
  }
}

const viewerAlias = 'w'

class ChangesStatementBuilder extends StatementBuilder {
  usesViewer = false

  override viewer(): string {
    this.usesViewer = true
    return `${viewerAlias}.value`
  }
}

/** One of the two images of each change. */
class ImageRow extends SqlRow {
  readonly #image: 'a' | 'b'

  constructor(alias: string, image: 'a' | 'b', of: Resource, layout: Layout) {
    super(alias, of, layout)
    this.#image = image
  }

  override column(column: string): string {
    super.column(column)
    return `${this.alias}.${quoteName(this.#image + column)}`
  }

  override presence(field: StoredField | ReferenceField): string | null {
    const own = this.own(field)
    if (own.name === 'id' || !own.required || fallbackOf(own) !== undefined) return null
    return `${this.column(columnOf(this.layout, own).name)} IS NOT NULL`
  }

  /** The members that the statement uses. */
  members(): Member[] {
    const fields = new Map([...tableOf(this.layout, this.resource).columns].map(([field, { name }]) => [name, field]))
    return [...this.used].map((column): Member => {
      const as = this.#image + column
      if (column === 'id') return { path: ['i'], type: 'id', as }
      if (column === '_version') return { path: ['v'], type: 'version', as }
      const path = [this.#image, column]
      const field = fields.get(column)
      if (field?.kind !== 'stored') return { path, type: 'id', as }
      const fallback = fallbackOf(field)
      return { path, type: field.type, as, ...(fallback !== undefined && { fallback }) }
    })
  }
}

/** What stands for the field in an entry that is older than the field (3). */
function fallbackOf(field: StoredField | ReferenceField): Member['fallback'] {
  if (field.kind === 'reference') return undefined
  if (field.auto !== null) return { path: ['t'] }
  const value = encodeColumn(defaultValue(field), field.type)
  return value === null ? undefined : { value }
}

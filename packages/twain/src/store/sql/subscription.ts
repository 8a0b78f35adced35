// A subscription → two statements, for a list of changes and a set of viewers at once: which viewer may see which change
// (visibility), and the text of the rows (rendering). The rows are in no table: they are the images of the change log, bound
// as one JSON array of `{"i": id, "v": version, "t": time, "a": the row after, "b": the row before}`.
//
// 1. The compiler of reads also compiles these guards and selections, over a row whose columns are those of the image.
// 2. The viewer is a column and not a parameter, so one statement checks a thousand viewers. If nothing depends on the
//    viewer, one row is for all of them.

import type { Field, Resource } from '#model'
import type { AuthorizedPlan, Guard, SubscriptionPlan } from '#plan'
import type { Layout } from '../tables/layout.ts'
import type { Dialect } from './dialect.ts'
import { ImageRow, LaterRows } from './logged-rows.ts'
import type { CompiledRead } from './read.ts'
import { compileMembers } from './selection.ts'
import type { SqlRow } from './sql-row.ts'
import { isNotTrue, StatementBuilder } from './statement-builder.ts'
import { compileLater, compileWhere, isConstant } from './where.ts'

export interface CompiledSubscription {
  /** Null: every viewer sees every change. Columns: the change, the viewer, visible before, visible after, hidden now, and for
   *  each of `fields` whether the viewer may read it, then and now. Between them: whether the viewer may see who made the
   *  change. */
  visibility: SubscriptionStatement | null
  /** Whether every viewer may see who made a change. */
  isAudited: boolean
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
    isAudited: plan.audit !== undefined && isConstant(plan.audit, true),
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
  const { of, guard, where, audit } = plan
  const isAuditedAlike = audit === undefined || isConstant(audit, true)
  if (guard === undefined && where === null && checked.length === 0 && isAuditedAlike) return null
  const images = new ChangeImages(of, layout, dialect)
  const { before, after, statement } = images
  const seen = [guard, where].filter((part) => part !== undefined && part !== null)
  const isSeen = (row: SqlRow): string => flag(compileWhere({ kind: 'and', of: seen }, row, statement))
  /** On the row before or after the change, and as it is now. */
  const mayRead = (read: Guard): string => {
    const then = `(${compileWhere(read, before, statement)} OR ${compileWhere(read, after, statement)})`
    return flag(`${then} AND ${compileLater(read, after, statement)}`)
  }
  const columns = [
    seen.length === 0 ? '1' : isSeen(before),
    seen.length === 0 ? '1' : isSeen(after),
    guard === undefined ? '0' : flag(isNotTrue(compileLater(guard, after, statement))),
    isAuditedAlike ? (audit === undefined ? '0' : '1') : mayRead(audit),
    ...checked.map(({ guard: read }) => mayRead(read)),
  ]
  return images.select(columns)
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
  readonly #later: LaterRows

  constructor(of: Resource, layout: Layout, dialect: Dialect) {
    this.statement = new ChangesStatementBuilder(dialect)
    this.#alias = this.statement.alias()
    this.#later = new LaterRows(of, layout, this.statement)
    this.after = new ImageRow(this.#alias, 'a', of, layout, () => this.#later.rows)
    this.before = new ImageRow(this.#alias, 'b', of, layout, () => [this.after.asLater(), ...this.#later.rows])
  }

  select(columns: readonly string[]): SubscriptionStatement {
    const { dialect, usesViewer } = this.statement
    const join = this.#later.join(this.after)
    const members = [...this.before.members(), ...this.after.members()]
    const changes = dialect.records(this.statement.list('changes'), members, this.#alias)
    const viewers = usesViewer ? ` CROSS JOIN ${dialect.texts(this.statement.list('viewers'), viewerAlias)}` : ''
    const heads = [`${this.#alias}.n`, usesViewer ? `${viewerAlias}.n` : '0']
    const sql = `SELECT ${[...heads, ...columns].join(', ')} FROM ${changes}${viewers}${join}`
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

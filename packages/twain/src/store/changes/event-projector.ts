// Projects changes for a set of viewers: which viewer receives which event, by the current rules, with the row's fields from
// the images of the change log. One statement decides visibility for all viewers, one renders the texts. Viewers with equal
// events share one object.

import { ApiError } from '#base'
import type { ViewerClaims } from '#base/http'
import type { ChannelField } from '#model/names'
import type { AuthorizedPlan, ChangeKind, CodeFailure, SubscriptionPlan } from '#plan'
import { resultTooLarge } from '../read/read-result.ts'
import { bind } from '../sql/bind.ts'
import type { Dialect } from '../sql/dialect.ts'
import type { SqlValue } from '../sql/encode.ts'
import { type CompiledSubscription, compileSubscription, type SubscriptionStatement } from '../sql/subscription.ts'
import { columnOf, type Layout } from '../tables/layout.ts'
import type { ChangeRecord } from './change-log.ts'
import { eventKindFor } from './event-kind.ts'
import { ChangedFields, type ChangeImage, splitChanges, toImages } from './images.ts'

/** A change as one viewer receives it. */
export interface ChangeEvent {
  kind: ChangeKind
  /** The selected fields of the row; null for a delete. */
  text: string | null
  /** The viewer may see who made the change. */
  isAudited?: true
  /** Where custom code failed, the text has a marker for one of these. A store never sets it. */
  failures?: readonly CodeFailure[]
}

/** The account of a viewer; null for a viewer without one. */
export type ViewerAccount = string | null

export interface EventProjector {
  /** Returns what each viewer receives of each change of the plan's type: by change, then by viewer; null: nothing. The plan
   *  was authorized for the class of all these viewers, whose tokens have the same claims. */
  project(
    plan: AuthorizedPlan<SubscriptionPlan>,
    values: readonly unknown[],
    changes: readonly ChangeRecord[],
    accounts: readonly ViewerAccount[],
    claims?: ViewerClaims,
  ): Promise<(ChangeEvent | null)[][]>
  /** The values of a field of the changed row, after the change and before it; of a reference, the ids. An unchanged one appears once. */
  channelValues(change: ChangeRecord, field: ChannelField): readonly string[]
}

type ProjectedRows = readonly (readonly unknown[])[]

interface EventProjectorOptions {
  layout: Layout
  dialect: Dialect
  /** Returns the rows of a statement. */
  read(sql: string, parameters: SqlValue[]): Promise<ProjectedRows> | ProjectedRows
  /** Runs a statement that may take long off the main thread and returns its only row; null if every statement may take
   *  long. */
  readLong: ((sql: string, parameters: SqlValue[]) => Promise<readonly unknown[] | null>) | null
  /** Whether projecting this plan may take long. */
  mayBeLong(plan: AuthorizedPlan<SubscriptionPlan>, values: readonly unknown[]): boolean
}

/** What one viewer receives of a change, without the text. */
interface EventVerdict {
  kind: ChangeKind
  isAudited: boolean
}

/** Changes times viewers in one statement. */
const maxCells = 20_000

export class SqlEventProjector implements EventProjector {
  readonly #options: EventProjectorOptions
  readonly #compiledPlans = new WeakMap<SubscriptionPlan, CompiledSubscription>()
  readonly #changedFields: ChangedFields

  constructor(options: EventProjectorOptions) {
    this.#options = options
    this.#changedFields = new ChangedFields(options.layout)
  }

  async project(
    plan: AuthorizedPlan<SubscriptionPlan>,
    values: readonly unknown[],
    changes: readonly ChangeRecord[],
    accounts: readonly ViewerAccount[],
    claims?: ViewerClaims,
  ): Promise<(ChangeEvent | null)[][]> {
    const projection = new PlanProjection(plan, values, claims, this.#compile(plan), this.#options, this.#changedFields)
    const maxCount = Math.max(1, Math.floor(maxCells / accounts.length))
    const events: (ChangeEvent | null)[][] = []
    for (const some of splitChanges(changes, maxCount)) events.push(...(await projection.project(some, accounts)))
    return events
  }

  channelValues(change: ChangeRecord, field: ChannelField): readonly string[] {
    const { name } = columnOf(this.#options.layout, field)
    // A row without the field was written before there was one. What else is in the channel then, the filter leaves out.
    const start = field.kind === 'stored' ? field.default : undefined
    const values = [change.after, change.before].map((image) =>
      image === null ? null : (JSON.parse(image)[name] ?? start),
    )
    return values.filter((value): value is string => typeof value === 'string')
  }

  #compile(plan: AuthorizedPlan<SubscriptionPlan>): CompiledSubscription {
    const known = this.#compiledPlans.get(plan)
    if (known !== undefined) return known
    const compiled = compileSubscription(plan, this.#options.layout, this.#options.dialect)
    this.#compiledPlans.set(plan, compiled)
    return compiled
  }
}

/** One plan with its values. */
class PlanProjection {
  readonly #plan: AuthorizedPlan<SubscriptionPlan>
  readonly #values: readonly unknown[]
  readonly #claims: ViewerClaims | undefined
  readonly #compiled: CompiledSubscription
  readonly #options: EventProjectorOptions
  readonly #changedFields: ChangedFields
  readonly #isLong: boolean

  constructor(
    plan: AuthorizedPlan<SubscriptionPlan>,
    values: readonly unknown[],
    claims: ViewerClaims | undefined,
    compiled: CompiledSubscription,
    options: EventProjectorOptions,
    changedFields: ChangedFields,
  ) {
    this.#plan = plan
    this.#values = values
    this.#claims = claims
    this.#compiled = compiled
    this.#options = options
    this.#changedFields = changedFields
    this.#isLong = options.readLong !== null && options.mayBeLong(plan, values)
  }

  async project(
    changes: readonly ChangeRecord[],
    accounts: readonly ViewerAccount[],
  ): Promise<(ChangeEvent | null)[][]> {
    const { visibility } = this.#compiled
    const images = toImages(changes, visibility !== null)
    const verdicts =
      visibility === null
        ? changes.map(({ kind }): EventVerdict[] => [{ kind, isAudited: this.#compiled.isAudited }])
        : await this.#judge(visibility, images, accounts)
    const shown = images.filter((_, index) => verdicts[index]!.some((one) => one !== null && one.kind !== 'deleted'))
    const texts = await this.#texts(shown, accounts)
    return images.map((image, index) => {
      const made = new Map<string, Map<string | null, ChangeEvent>>()
      return accounts.map((_, viewer) => {
        const verdict = ofViewer(verdicts[index]!, viewer)
        if (verdict === null) return null
        const text = verdict.kind === 'deleted' ? null : ofViewer(texts.get(image)!, viewer)
        return same(made, verdict, text)
      })
    })
  }

  /** What each viewer receives of each change; one for all viewers if nothing depends on the viewer. */
  async #judge(
    visibility: SubscriptionStatement,
    images: ChangeImage[],
    accounts: readonly ViewerAccount[],
  ): Promise<(EventVerdict | null)[][]> {
    const verdicts = images.map((): (EventVerdict | null)[] => [])
    for (const row of await this.#read(visibility, images, accounts)) {
      const [index, viewer, before, after, hiddenNow, audited, ...shown] = row
      const { change } = images[index as number]!
      const kind = eventKindFor(change.kind, {
        before: before === 1,
        after: after === 1,
        hiddenNow: hiddenNow === 1,
        showsChange: this.#showsChange(change, shown),
      })
      verdicts[index as number]![viewer as number] = kind === null ? null : { kind, isAudited: audited === 1 }
    }
    return verdicts
  }

  /** `shown`: whether the viewer may read each checked field. */
  #showsChange(change: ChangeRecord, shown: readonly unknown[]): boolean {
    const { fields, hidden } = this.#compiled
    if (change.kind !== 'updated' || (fields.length === 0 && hidden.length === 0)) return true
    return this.#changedFields.of(this.#plan.of, change).some((field) => {
      const checked = fields.indexOf(field)
      return checked >= 0 ? shown[checked] === 1 : !hidden.includes(field)
    })
  }

  async #texts(images: ChangeImage[], accounts: readonly ViewerAccount[]): Promise<Map<ChangeImage, string[]>> {
    const texts = new Map<ChangeImage, string[]>()
    if (images.length === 0) return texts
    for (const image of images) texts.set(image, [])
    for (const [index, viewer, text] of await this.#read(this.#compiled.rendering, images, accounts)) {
      if (text === null) throw resultTooLarge()
      texts.get(images[index as number]!)![viewer as number] = text as string
    }
    return texts
  }

  async #read(
    part: SubscriptionStatement,
    images: ChangeImage[],
    accounts: readonly ViewerAccount[],
  ): Promise<ProjectedRows> {
    if (!this.#isLong) return this.#options.read(part.sql, this.#bind(part, images, accounts))
    const rows: unknown[][] = []
    for (const [index, image] of images.entries()) {
      for (const [viewer, account] of (part.perViewer ? accounts : accounts.slice(0, 1)).entries()) {
        const row = await this.#options.readLong!(part.sql, this.#bind(part, [image], [account]))
        if (row === null) throw new ApiError('INTERNAL', 'a projection returned no row')
        rows.push([index, viewer, ...row.slice(2)])
      }
    }
    return rows
  }

  #bind(part: SubscriptionStatement, images: readonly ChangeImage[], accounts: readonly ViewerAccount[]): SqlValue[] {
    const viewer = { account: null, ...(this.#claims && { claims: this.#claims }) }
    const bound = bind(part.parameters, this.#values, viewer, this.#options.dialect)
    for (const [at, parameter] of part.parameters.entries()) {
      if (parameter.kind !== 'list') continue
      bound[at] =
        parameter.of === 'viewers' ? JSON.stringify(accounts) : `[${images.map(({ text }) => text).join(',')}]`
    }
    return bound
  }
}

/** A list with one item holds the item for all viewers. */
function ofViewer<Item>(items: readonly Item[], viewer: number): Item {
  return items.length === 1 ? items[0]! : items[viewer]!
}

function same(
  made: Map<string, Map<string | null, ChangeEvent>>,
  { kind, isAudited }: EventVerdict,
  text: string | null,
): ChangeEvent {
  const verdict = isAudited ? `${kind} audited` : kind
  const texts = made.get(verdict) ?? new Map<string | null, ChangeEvent>()
  made.set(verdict, texts)
  const event = texts.get(text) ?? { kind, text, ...(isAudited && { isAudited }) }
  texts.set(text, event)
  return event
}

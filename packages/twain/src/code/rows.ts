// Reads and writes the rows of one type for custom code, through the engine like every adapter. A row has the default
// representation of REST, and its version: stored fields, and references as ids. A field that the viewer may not read is null.

import { Cache, CacheBudget } from '#base'
import type { Viewer } from '#base/http'
import type { CodeEngine } from '#engine'
import type { Resource, StoredType } from '#model'
import {
  type BoundPlan,
  forbiddenMarker,
  type GroupRead,
  type PageRead,
  type PageShape,
  type PlanResult,
  planBytes,
  type RowRead,
  type Selection,
  type WritePlan,
} from '#plan'
import {
  bindPlan,
  defaultPageSize,
  defaultSelection,
  expectPossibleNewId,
  jsonWhere,
  offsetPage,
  orderEntries,
  PlanBuilder,
  planDeletion,
  planDistinct,
  planInput,
  planKey,
  planOrder,
  planReversion,
  planSearch,
  planUpsert,
  planWhere,
  RequestValue,
  readKeyArgument,
  type UnboundPlan,
  whereShape,
} from '#plan/build'

import { fromCode, readFromCode } from './call-site.ts'
import {
  type AggregateArguments,
  type AnyGroupArguments,
  type AnyGroupTypes,
  type GroupArguments,
  type GroupTypes,
  groupShape,
  type MeasureSelect,
  planCodeGroups,
  type SelectedKey,
  type SelectedMeasures,
} from './row-groups.ts'

export type CodeRow = Readonly<Record<string, unknown>> & { readonly id: string; readonly _version: number }

export interface ListArguments<Where = object, Order = Readonly<Record<string, 'ASC' | 'DESC'>>, Distinct = string> {
  where?: Where
  orderBy?: readonly Order[]
  /** Of the rows with the same values in these fields, only the first in the order. */
  distinct?: readonly Distinct[]
  search?: string
  limit?: number
  offset?: number
}

export interface RowReader<
  Row = CodeRow,
  Where = object,
  Order = Readonly<Record<string, 'ASC' | 'DESC'>>,
  Key = object,
  Distinct = string,
  Groups extends GroupTypes = AnyGroupTypes,
> {
  /** By the id, or by a unique key: `{ slug: 'knots' }`. Null if the viewer can't see such a row. With `lock`, inside a hook or a transaction, it first waits until no other
   *  transaction holds the lock of this row, and holds it until the commit. */
  get(key: string | Key, options?: { lock?: boolean }): Promise<Row | null>
  list(args?: ListArguments<Where, Order, Distinct>): Promise<Row[]>
  count(args?: { where?: Where; search?: string }): Promise<number>
  /** Measures of all rows that match: `aggregate({ select: { sum: { total: true } } })`. */
  aggregate<const Select extends MeasureSelect<Groups['measures']> = never>(
    args?: AggregateArguments<Where, Select>,
  ): Promise<SelectedMeasures<Groups['measures'], Select>>
  /** The same for each group: `groupBy({ by: [{ status: 'VALUE' }] })` returns `{ key: { status }, count }`. */
  groupBy<const By extends Groups['by'], const Select extends MeasureSelect<Groups['measures']> = never>(
    args: GroupArguments<Where, Order, Groups, By, Select>,
  ): Promise<({ key: SelectedKey<By, Groups['key']> } & SelectedMeasures<Groups['measures'], Select>)[]>
}

interface DeleteOptions {
  ifVersion?: number
  purge?: boolean
  currentPassword?: string
}

export interface RowWriter<Row = CodeRow, Create = object, Update = object, Key = object> {
  create(input: Create): Promise<Row>
  /** Creates the row, or replaces it completely. */
  replace(id: string, input: Create, options?: { ifVersion?: number }): Promise<Row>
  update(id: string, changes: Update, options?: { ifVersion?: number }): Promise<Row>
  /** Creates the row, or changes the one that has the unique key `{ slug: 'knots' }`: to `update`, or without it to the fields of `create`. */
  upsert(key: Key, create: Create, update?: Update): Promise<Row>
  /** False if there is no such row. `purge`: for good, where `@softDelete` would keep the row for a time. `currentPassword`: of the
   *  viewer, to delete their own account later than five minutes after their sign-in. */
  delete(id: string, options?: DeleteOptions): Promise<boolean>
  /** Takes a delete back, of a type with `@softDelete`. */
  restore(id: string): Promise<Row>
  /** Puts an earlier version of the row back, as an update. */
  revert(id: string, version: number, options?: { ifVersion?: number }): Promise<Row>
}

const id: StoredType = { kind: 'scalar', name: 'ID' }

/** The readers and writers of one type, with cached plans for each viewer class. */
export class CodeRows {
  readonly #engine: () => CodeEngine
  readonly #of: Resource
  readonly #selections: Cache<string, Selection[]>
  readonly #rowPlans: Cache<string, RowRead>
  readonly #listPlans: Cache<string, UnboundPlan<PageRead>>
  readonly #groupPlans: Cache<string, UnboundPlan<GroupRead>>

  /** Whether nothing writes the rows: those of a view. */
  get isReadOnly(): boolean {
    return this.#of.view !== undefined
  }

  constructor(engine: () => CodeEngine, of: Resource, budget = new CacheBudget()) {
    const name = 'code_plans'
    this.#selections = new Cache({ name, budget, bytes: (selections) => planBytes(selections) })
    this.#rowPlans = new Cache({ name, budget, bytes: (plan) => planBytes(plan) })
    this.#listPlans = new Cache({ name, budget, bytes: ({ plan }) => planBytes(plan) })
    this.#groupPlans = new Cache({ name, budget, bytes: ({ plan }) => planBytes(plan) })
    this.#engine = engine
    this.#of = of
  }

  reader(viewer: Viewer, engine: CodeEngine): RowReader {
    return {
      get: (key, options) => readFromCode(() => this.#get(key, options?.lock === true, viewer, engine)),
      list: (args = {}) => readFromCode(() => this.#list(args, viewer, engine)),
      count: (args = {}) => readFromCode(() => this.#count(args, viewer, engine)),
      aggregate: (args: AnyGroupArguments = {}) => readFromCode(() => this.#groups(args, true, viewer, engine)),
      groupBy: (args: AnyGroupArguments) => readFromCode(() => this.#groups(args, false, viewer, engine)),
    }
  }

  writer(viewer: Viewer, engine: CodeEngine): RowWriter {
    return {
      create: (input) => fromCode(() => this.#write('create', null, input, undefined, viewer, engine)),
      replace: (key, input, options) =>
        fromCode(() => this.#write('replace', key, input, options?.ifVersion, viewer, engine)),
      update: (key, changes, options) =>
        fromCode(() => this.#write('update', key, changes, options?.ifVersion, viewer, engine)),
      upsert: (key, create, update) => fromCode(() => this.#upsert(key, create, update, viewer, engine)),
      delete: (key, options) => fromCode(() => this.#delete(key, options ?? {}, viewer, engine)),
      restore: (key) => fromCode(() => this.#restore(key, viewer, engine)),
      revert: (key, version, options) => fromCode(() => this.#revert(key, version, options?.ifVersion, viewer, engine)),
    }
  }

  async #get(key: string | object, lock: boolean, viewer: Viewer, engine: CodeEngine): Promise<CodeRow | null> {
    if (lock && !engine.isInTransaction)
      throw new Error('a lock needs a transaction: context.transaction(async (tx) => …)')
    const boundPlan = typeof key === 'string' ? this.#bindRow(key, viewer) : this.#planKeyed(key, viewer, engine)
    const answer = await engine.execute(boundPlan, viewer, lock ? wholeLocked : whole)
    return answer.kind === 'one' && answer.text !== null ? (parseRow(answer.text) as CodeRow) : null
  }

  #bindRow(key: string, viewer: Viewer): BoundPlan<RowRead> {
    const { key: visibility } = this.#engine().visibility(viewer)
    const plan = this.#rowPlans.get(visibility) ?? this.#planRow(viewer)
    this.#rowPlans.set(visibility, plan)
    return { plan, values: [key], places: ['id'] }
  }

  /** A row by a unique key. One plan for each key serves all its values. */
  #planKeyed(tree: object, viewer: Viewer, { limits }: CodeEngine): BoundPlan<RowRead> {
    const of = this.#of
    const visibility = this.#engine().visibility(viewer)
    const builder = new PlanBuilder(visibility)
    const locator = planKey(readKeyArgument(tree, of, builder, 'key'), of, builder)
    builder.finish(limits)
    const shape = `${visibility.key}\n${locator.key!.map(({ field }) => field.name).join()}`
    const plan = this.#rowPlans.get(shape) ?? { kind: 'one', of, ...locator, selections: this.#selectionOf(viewer) }
    this.#rowPlans.set(shape, plan)
    return { plan, values: builder.values(), places: builder.places }
  }

  #planRow(viewer: Viewer): RowRead {
    const builder = new PlanBuilder()
    return {
      kind: 'one',
      of: this.#of,
      id: builder.parameter({ kind: 'type', type: id }, '', 'id'),
      selections: this.#selectionOf(viewer),
    }
  }

  #selectionOf(viewer: Viewer): Selection[] {
    const visibility = this.#engine().visibility(viewer)
    const selections = this.#selections.get(visibility.key) ?? [
      ...defaultSelection(this.#of, visibility),
      ...(this.isReadOnly ? [] : [{ kind: 'version' as const, key: '_version' }]),
    ]
    this.#selections.set(visibility.key, selections)
    return selections
  }

  async #list(args: ListArguments, viewer: Viewer, engine: CodeEngine): Promise<CodeRow[]> {
    const answer = await engine.execute(this.#bindList(args, viewer), viewer, whole)
    return answer.kind === 'many' ? (parseRow(answer.text) as CodeRow[]) : []
  }

  async #count(args: ListArguments, viewer: Viewer, engine: CodeEngine): Promise<number> {
    const boundPlan = this.#bindList({ ...args, limit: 0 }, viewer, true)
    const answer = await engine.execute(boundPlan, viewer, whole)
    return answer.kind === 'many' ? (answer.total ?? 0) : 0
  }

  #bindList(args: ListArguments, viewer: Viewer, isCounted = false): BoundPlan<PageRead> {
    const visibility = this.#engine().visibility(viewer)
    const { where = null, orderBy = [], distinct = [], search } = args
    const isSearched = search !== undefined
    const parts = [orderBy, distinct, isSearched, isCounted]
    const shape = `${visibility.key}\n${whereShape(where, this.#of)}\n${JSON.stringify(parts)}`
    const cached = this.#listPlans.get(shape) ?? this.#planList(args, viewer, isCounted)
    this.#listPlans.set(shape, cached)
    return bindPlan(cached, args)
  }

  #planList(
    { where, orderBy = [], distinct, search, limit, offset }: ListArguments,
    viewer: Viewer,
    isCounted: boolean,
  ): UnboundPlan<PageRead> {
    const of = this.#of
    const engine = this.#engine()
    const builder = new PlanBuilder(engine.visibility(viewer))
    const tree = where === undefined ? undefined : jsonWhere(where, of, (args: ListArguments) => args.where)
    const filter = planWhere(tree, of, builder, 'where')
    const words = search === undefined ? undefined : new RequestValue(search, (args: ListArguments) => args.search)
    const found = planSearch(words, filter, of, builder, 'search')
    const order = planOrder(orderEntries(orderBy, of, 'orderBy', builder), of, builder)
    const distinctFields = planDistinct(distinct, of, builder, 'distinct')
    const size = new RequestValue(limit ?? defaultPageSize, (args: ListArguments) => args.limit ?? defaultPageSize)
    const start = new RequestValue(offset ?? 0, (args: ListArguments) => args.offset ?? 0)
    const page = offsetPage(size, start, builder, { limit: 'limit', offset: 'offset' })
    const types = [{ of, selections: this.#selectionOf(viewer) }]
    const shape: PageShape = isCounted ? { kind: 'list', types, total: true } : { kind: 'list', types }
    builder.finish(engine.limits)
    const plan: PageRead = { kind: 'many', of, within: null, where: found, order, ...distinctFields, page, shape }
    return { plan, ...builder.unbound() }
  }

  /** `isOne`: all rows are one group. The result has the type that the arguments say. */
  async #groups<Result>(args: AnyGroupArguments, isOne: boolean, viewer: Viewer, engine: CodeEngine): Promise<Result> {
    const answer = await engine.execute(this.#bindGroups(args, isOne, viewer), viewer)
    if (answer.kind !== 'many') throw new Error(`the engine answered with "${answer.kind}"`)
    return JSON.parse(answer.text) as Result
  }

  #bindGroups(args: AnyGroupArguments, isOne: boolean, viewer: Viewer): BoundPlan<GroupRead> {
    const engine = this.#engine()
    const visible = engine.visibility(viewer)
    const shape = `${visible.key}\n${isOne}${groupShape(args, this.#of)}`
    const known = this.#groupPlans.get(shape)
    if (known !== undefined) return bindPlan(known, args)
    const builder = new PlanBuilder(visible)
    const plan = planCodeGroups(args, isOne, this.#of, builder)
    builder.finish(engine.limits)
    const unbound = { plan, ...builder.unbound() }
    this.#groupPlans.set(shape, unbound)
    return bindPlan(unbound, args)
  }

  async #write(
    action: 'create' | 'replace' | 'update',
    key: string | null,
    input: object,
    ifVersion: number | undefined,
    viewer: Viewer,
    engine: CodeEngine,
  ): Promise<CodeRow> {
    const builder = new PlanBuilder(engine.visibility(viewer), undefined, engine.limits.transaction)
    if (action === 'replace') expectPossibleNewId(String(key), builder)
    const parameter = key === null ? null : builder.parameter({ kind: 'type', type: id }, key, 'id')
    const set = planInput(input, this.#of, action, builder, '', false)
    const answer = this.#selectionOf(viewer)
    return this.#rowOf({ action, id: parameter, set, answer }, ifVersion, builder, viewer, engine)
  }

  async #upsert(
    key: object,
    create: object,
    update: object | undefined,
    viewer: Viewer,
    engine: CodeEngine,
  ): Promise<CodeRow> {
    const of = this.#of
    const builder = new PlanBuilder(engine.visibility(viewer), undefined, engine.limits.transaction)
    const parts = readKeyArgument(key, of, builder, 'key')
    const plan = planUpsert(parts, create, update, of, this.#selectionOf(viewer), builder)
    return this.#rowOf(plan, undefined, builder, viewer, engine)
  }

  #restore(key: string, viewer: Viewer, engine: CodeEngine): Promise<CodeRow> {
    const builder = new PlanBuilder(engine.visibility(viewer))
    const parameter = builder.parameter({ kind: 'type', type: id }, key, 'id')
    const write = { action: 'restore' as const, id: parameter, set: [], answer: this.#selectionOf(viewer) }
    return this.#rowOf(write, undefined, builder, viewer, engine)
  }

  #revert(
    key: string,
    version: number,
    ifVersion: number | undefined,
    viewer: Viewer,
    engine: CodeEngine,
  ): Promise<CodeRow> {
    const builder = new PlanBuilder(engine.visibility(viewer))
    const parameter = builder.parameter({ kind: 'type', type: id }, key, 'id')
    const revert = planReversion(this.#of, version, builder)
    const write = { action: 'update' as const, id: parameter, set: [], revert, answer: this.#selectionOf(viewer) }
    return this.#rowOf(write, ifVersion, builder, viewer, engine)
  }

  async #rowOf(
    write: CodeWrite,
    ifVersion: number | undefined,
    builder: PlanBuilder,
    viewer: Viewer,
    engine: CodeEngine,
  ): Promise<CodeRow> {
    const written = await this.#execute(write, ifVersion, builder, viewer, engine)
    if (written.kind !== 'written') throw new Error(`the engine answered with "${written.kind}"`)
    return parseRow(written.text) as CodeRow
  }

  async #delete(
    key: string,
    { ifVersion, purge = false, currentPassword }: DeleteOptions,
    viewer: Viewer,
    engine: CodeEngine,
  ): Promise<boolean> {
    const builder = new PlanBuilder(engine.visibility(viewer))
    const parameter = builder.parameter({ kind: 'type', type: id }, key, 'id')
    const set = planDeletion(this.#of, currentPassword, builder)
    const write = { action: purge ? ('purge' as const) : ('delete' as const), id: parameter, set, answer: [] }
    const answer = await this.#execute(write, ifVersion, builder, viewer, engine)
    return answer.kind === 'deleted' && answer.found
  }

  async #execute(
    write: CodeWrite,
    ifVersion: number | undefined,
    builder: PlanBuilder,
    viewer: Viewer,
    engine: CodeEngine,
  ): Promise<PlanResult> {
    const version = ifVersion === undefined ? null : builder.parameter({ kind: 'version' }, ifVersion, 'ifVersion')
    builder.finish(engine.limits)
    const plan: WritePlan = { ...write, kind: 'write', of: this.#of, ifVersion: version }
    return engine.execute({ plan, values: builder.values(), places: builder.places }, viewer, whole)
  }
}

type CodeWrite = Pick<WritePlan, 'action' | 'id' | 'key' | 'set' | 'update' | 'revert' | 'answer'>

const whole = { isDefaultSelection: true }
const wholeLocked = { isDefaultSelection: true, lock: true }

function parseRow(text: string): unknown {
  return forbiddenMarker.isIn(text) ? forbiddenMarker.replaceIn(text, () => null) : JSON.parse(text)
}

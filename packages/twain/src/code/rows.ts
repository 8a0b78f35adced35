// The rows of one resource, as own code reads and writes them: functions with plain objects, through the corridor as every
// door. A row is as REST shows it by default: stored fields, references as ids; null where the viewer may not read a field.

import { Cache, type Viewer } from '#base'
import type { Engine } from '#engine'
import type { Resource, StoredType } from '#model'
import {
  type BoundPlan,
  forbiddenMarker,
  type PageRead,
  type PlanResult,
  type RowRead,
  type Selection,
  type WritePlan,
} from '#plan'
import {
  defaultPageSize,
  defaultSelection,
  expectPossibleNewId,
  jsonWhere,
  offsetPage,
  PlanBuilder,
  planInput,
  planOrder,
  planSearch,
  planWhere,
  RequestValue,
  resolveValues,
  whereShape,
} from '#plan/build'

export type CodeRow = Readonly<Record<string, unknown>> & { readonly id: string }

export interface ListArguments<Where = object, Order = Readonly<Record<string, 'ASC' | 'DESC'>>> {
  where?: Where
  orderBy?: readonly Order[]
  search?: string
  limit?: number
  offset?: number
}

export interface RowReader<Row = CodeRow, Where = object, Order = Readonly<Record<string, 'ASC' | 'DESC'>>> {
  /** Null where there is no such row for this viewer. */
  get(id: string): Promise<Row | null>
  list(asking?: ListArguments<Where, Order>): Promise<Row[]>
  count(asking?: { where?: Where; search?: string }): Promise<number>
}

export interface RowWriter<Row = CodeRow, Create = object, Update = object> {
  create(input: Create): Promise<Row>
  /** Makes the row, or replaces it whole. */
  replace(id: string, input: Create, options?: { ifVersion?: number }): Promise<Row>
  update(id: string, changes: Update, options?: { ifVersion?: number }): Promise<Row>
  /** False where there was no such row. */
  delete(id: string, options?: { ifVersion?: number }): Promise<boolean>
}

interface CachedListPlan {
  plan: PageRead
  leaves: readonly unknown[]
  places: readonly string[]
}

const mostShapes = 200
const id: StoredType = { kind: 'scalar', name: 'ID' }

/** All viewers' rows of one resource: plans are kept for each class of them. */
export class CodeRows {
  readonly #engine: () => Engine
  readonly #of: Resource
  readonly #picks = new Cache<string, Selection[]>(mostShapes)
  readonly #items = new Cache<string, RowRead>(mostShapes)
  readonly #lists = new Cache<string, CachedListPlan>(mostShapes)

  constructor(engine: () => Engine, of: Resource) {
    this.#engine = engine
    this.#of = of
  }

  /** `engine` is that of an open transaction; left out: the service's. */
  reader(viewer: Viewer, engine = this.#engine()): RowReader {
    return {
      get: (key) => this.#get(key, viewer, engine),
      list: (asking = {}) => this.#list(asking, viewer, engine),
      count: (asking = {}) => this.#count(asking, viewer, engine),
    }
  }

  writer(viewer: Viewer, engine = this.#engine()): RowWriter {
    return {
      create: (input) => this.#write('create', null, input, undefined, viewer, engine),
      replace: (key, input, options) => this.#write('replace', key, input, options?.ifVersion, viewer, engine),
      update: (key, changes, options) => this.#write('update', key, changes, options?.ifVersion, viewer, engine),
      delete: (key, options) => this.#delete(key, options?.ifVersion, viewer, engine),
    }
  }

  async #get(key: string, viewer: Viewer, engine: Engine): Promise<CodeRow | null> {
    const { key: visibility } = this.#engine().visibility(viewer)
    const plan = this.#items.get(visibility) ?? this.#planItem(viewer)
    this.#items.set(visibility, plan)
    const answer = await engine.execute({ plan, values: [key], places: ['id'] }, viewer, whole)
    return answer.kind === 'one' && answer.text !== null ? (seen(answer.text) as CodeRow) : null
  }

  #planItem(viewer: Viewer): RowRead {
    const builder = new PlanBuilder()
    return {
      kind: 'one',
      of: this.#of,
      id: builder.parameter({ kind: 'type', type: id }, '', 'id'),
      selections: this.#pick(viewer),
    }
  }

  #pick(viewer: Viewer): Selection[] {
    const visibility = this.#engine().visibility(viewer)
    const selections = this.#picks.get(visibility.key) ?? defaultSelection(this.#of, visibility)
    this.#picks.set(visibility.key, selections)
    return selections
  }

  async #list(asking: ListArguments, viewer: Viewer, engine: Engine): Promise<CodeRow[]> {
    const answer = await engine.execute(this.#question(asking, viewer), viewer, whole)
    return answer.kind === 'many' ? (seen(answer.text) as CodeRow[]) : []
  }

  async #count(asking: ListArguments, viewer: Viewer, engine: Engine): Promise<number> {
    const boundPlan = this.#question({ ...asking, limit: 0 }, viewer)
    const answer = await engine.execute(boundPlan, viewer, { isDefaultSelection: true, total: true })
    return answer.kind === 'many' ? (answer.total ?? 0) : 0
  }

  #question(asking: ListArguments, viewer: Viewer): BoundPlan<PageRead> {
    const visibility = this.#engine().visibility(viewer)
    const { where = null, orderBy = [], search } = asking
    const isSearched = search !== undefined
    const shape = `${visibility.key}\n${whereShape(where, this.#of)}\n${JSON.stringify(orderBy)}\n${isSearched}`
    const known = this.#lists.get(shape) ?? this.#planList(asking, viewer)
    this.#lists.set(shape, known)
    return { plan: known.plan, values: resolveValues(known.leaves, asking), places: known.places }
  }

  #planList({ where, orderBy = [], search, limit, offset }: ListArguments, viewer: Viewer): CachedListPlan {
    const of = this.#of
    const engine = this.#engine()
    const builder = new PlanBuilder(engine.visibility(viewer))
    const tree = where === undefined ? undefined : jsonWhere(where, of, (asking: ListArguments) => asking.where)
    const filter = planWhere(tree, of, builder, 'where')
    const words = search === undefined ? undefined : new RequestValue(search, (asking: ListArguments) => asking.search)
    const found = planSearch(words, filter, of, builder, 'search')
    const keys = orderBy.flatMap((one, index) =>
      Object.entries(one).map(([field, direction]) => ({ field, direction, place: `orderBy.${index}.${field}` })),
    )
    const order = planOrder(keys, of, builder)
    const size = new RequestValue(limit ?? defaultPageSize, (asking: ListArguments) => asking.limit ?? defaultPageSize)
    const start = new RequestValue(offset ?? 0, (asking: ListArguments) => asking.offset ?? 0)
    const page = offsetPage(size, start, builder, { limit: 'limit', offset: 'offset' })
    const shape = { kind: 'list' as const, types: [{ of, selections: this.#pick(viewer) }] }
    builder.finish(engine.limits)
    const plan: PageRead = { kind: 'many', of, within: null, where: found, order, page, shape }
    return { plan, leaves: builder.requestValues, places: builder.places }
  }

  async #write(
    action: 'create' | 'replace' | 'update',
    key: string | null,
    input: object,
    ifVersion: number | undefined,
    viewer: Viewer,
    engine: Engine,
  ): Promise<CodeRow> {
    const builder = new PlanBuilder(engine.visibility(viewer), undefined, engine.limits.transaction)
    if (action === 'replace') expectPossibleNewId(String(key), builder)
    const parameter = key === null ? null : builder.parameter({ kind: 'type', type: id }, key, 'id')
    const set = planInput(input, this.#of, action, builder, '', false)
    const answer = this.#pick(viewer)
    const written = await this.#execute({ action, id: parameter, set, answer }, ifVersion, builder, viewer, engine)
    if (written.kind !== 'written') throw new Error(`the engine answered with "${written.kind}"`)
    return seen(written.text) as CodeRow
  }

  async #delete(key: string, ifVersion: number | undefined, viewer: Viewer, engine: Engine): Promise<boolean> {
    const builder = new PlanBuilder()
    const parameter = builder.parameter({ kind: 'type', type: id }, key, 'id')
    const nothing = { action: 'delete' as const, id: parameter, set: [], answer: [] }
    const answer = await this.#execute(nothing, ifVersion, builder, viewer, engine)
    return answer.kind === 'deleted' && answer.found
  }

  async #execute(
    write: globalThis.Pick<WritePlan, 'action' | 'id' | 'set' | 'answer'>,
    ifVersion: number | undefined,
    builder: PlanBuilder,
    viewer: Viewer,
    engine: Engine,
  ): Promise<PlanResult> {
    const version = ifVersion === undefined ? null : builder.parameter({ kind: 'version' }, ifVersion, 'ifVersion')
    builder.finish(engine.limits)
    const plan: WritePlan = { kind: 'write', of: this.#of, ifVersion: version, ...write }
    return engine.execute({ plan, values: builder.values(), places: builder.places }, viewer, whole)
  }
}

const whole = { isDefaultSelection: true }

function seen(text: string): unknown {
  return forbiddenMarker.isIn(text) ? forbiddenMarker.replaceIn(text, () => null) : JSON.parse(text)
}

// The rows of one resource, as own code reads and writes them: functions with plain objects, through the corridor as every
// door. A row is as REST shows it by default: stored fields, references as ids; null where the viewer may not read a field.

import { Cache, type Viewer } from '#base'
import type { Engine } from '#engine'
import type { Resource, StoredType } from '#model'
import {
  type Answer,
  Draft,
  defaultPageSize,
  defaultPicks,
  expectPossibleNewId,
  hasRefusals,
  type Many,
  type One,
  offsetPage,
  type Pick,
  planInput,
  planOrder,
  planSearch,
  planWhere,
  type Question,
  Sourced,
  sourceWhere,
  valuesAgain,
  type Write,
  whereShape,
  withRefusals,
} from '#plan'

export type CodeRow = Readonly<Record<string, unknown>> & { readonly id: string }

export interface Asking<Where = object, Order = Readonly<Record<string, 'ASC' | 'DESC'>>> {
  where?: Where
  orderBy?: readonly Order[]
  search?: string
  limit?: number
  offset?: number
}

export interface RowReader<Row = CodeRow, Where = object, Order = Readonly<Record<string, 'ASC' | 'DESC'>>> {
  /** Null where there is no such row for this viewer. */
  get(id: string): Promise<Row | null>
  list(asking?: Asking<Where, Order>): Promise<Row[]>
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

interface Known {
  plan: Many
  leaves: readonly unknown[]
  places: readonly string[]
}

const mostShapes = 200
const id: StoredType = { kind: 'scalar', name: 'ID' }

/** All viewers' rows of one resource: plans are kept for each class of them. */
export class Rows {
  readonly #engine: () => Engine
  readonly #of: Resource
  readonly #picks = new Cache<string, Pick[]>(mostShapes)
  readonly #items = new Cache<string, One>(mostShapes)
  readonly #lists = new Cache<string, Known>(mostShapes)

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
    const { key: sight } = this.#engine().sight(viewer)
    const plan = this.#items.get(sight) ?? this.#planItem(viewer)
    this.#items.set(sight, plan)
    const answer = await engine.execute({ plan, values: [key], places: ['id'] }, viewer, whole)
    return answer.kind === 'one' && answer.text !== null ? (seen(answer.text) as CodeRow) : null
  }

  #planItem(viewer: Viewer): One {
    const draft = new Draft()
    return { kind: 'one', of: this.#of, id: draft.slot({ kind: 'type', type: id }, '', 'id'), pick: this.#pick(viewer) }
  }

  #pick(viewer: Viewer): Pick[] {
    const sight = this.#engine().sight(viewer)
    const picks = this.#picks.get(sight.key) ?? defaultPicks(this.#of, sight)
    this.#picks.set(sight.key, picks)
    return picks
  }

  async #list(asking: Asking, viewer: Viewer, engine: Engine): Promise<CodeRow[]> {
    const answer = await engine.execute(this.#question(asking, viewer), viewer, whole)
    return answer.kind === 'many' ? (seen(answer.text) as CodeRow[]) : []
  }

  async #count(asking: Asking, viewer: Viewer, engine: Engine): Promise<number> {
    const question = this.#question({ ...asking, limit: 0 }, viewer)
    const answer = await engine.execute(question, viewer, { whole: true, total: true })
    return answer.kind === 'many' ? (answer.total ?? 0) : 0
  }

  #question(asking: Asking, viewer: Viewer): Question<Many> {
    const sight = this.#engine().sight(viewer)
    const { where = null, orderBy = [], search } = asking
    const isSearched = search !== undefined
    const shape = `${sight.key}\n${whereShape(where, this.#of)}\n${JSON.stringify(orderBy)}\n${isSearched}`
    const known = this.#lists.get(shape) ?? this.#planList(asking, viewer)
    this.#lists.set(shape, known)
    return { plan: known.plan, values: valuesAgain(known.leaves, asking), places: known.places }
  }

  #planList({ where, orderBy = [], search, limit, offset }: Asking, viewer: Viewer): Known {
    const of = this.#of
    const engine = this.#engine()
    const draft = new Draft(engine.sight(viewer))
    const tree = where === undefined ? undefined : sourceWhere(where, of, (asking: Asking) => asking.where)
    const filter = planWhere(tree, of, draft, 'where')
    const words = search === undefined ? undefined : new Sourced(search, (asking: Asking) => asking.search)
    const found = planSearch(words, filter, of, draft, 'search')
    const keys = orderBy.flatMap((one, index) =>
      Object.entries(one).map(([field, direction]) => ({ field, direction, place: `orderBy.${index}.${field}` })),
    )
    const order = planOrder(keys, of, draft)
    const size = new Sourced(limit ?? defaultPageSize, (asking: Asking) => asking.limit ?? defaultPageSize)
    const start = new Sourced(offset ?? 0, (asking: Asking) => asking.offset ?? 0)
    const page = offsetPage(size, start, draft, { limit: 'limit', offset: 'offset' })
    const shape = { kind: 'list' as const, cases: [{ of, pick: this.#pick(viewer) }] }
    draft.finish(engine.limits)
    const plan: Many = { kind: 'many', of, within: null, where: found, order, page, shape }
    return { plan, leaves: draft.leaves, places: draft.places }
  }

  async #write(
    action: 'create' | 'replace' | 'update',
    key: string | null,
    input: object,
    ifVersion: number | undefined,
    viewer: Viewer,
    engine: Engine,
  ): Promise<CodeRow> {
    const draft = new Draft(engine.sight(viewer), undefined, engine.limits.transaction)
    if (action === 'replace') expectPossibleNewId(String(key), draft)
    const slot = key === null ? null : draft.slot({ kind: 'type', type: id }, key, 'id')
    const set = planInput(input, this.#of, action, draft, '', false)
    const answer = this.#pick(viewer)
    const written = await this.#execute({ action, id: slot, set, answer }, ifVersion, draft, viewer, engine)
    if (written.kind !== 'written') throw new Error(`the engine answered with "${written.kind}"`)
    return seen(written.text) as CodeRow
  }

  async #delete(key: string, ifVersion: number | undefined, viewer: Viewer, engine: Engine): Promise<boolean> {
    const draft = new Draft()
    const slot = draft.slot({ kind: 'type', type: id }, key, 'id')
    const nothing = { action: 'delete' as const, id: slot, set: [], answer: [] }
    const answer = await this.#execute(nothing, ifVersion, draft, viewer, engine)
    return answer.kind === 'deleted' && answer.found
  }

  async #execute(
    write: globalThis.Pick<Write, 'action' | 'id' | 'set' | 'answer'>,
    ifVersion: number | undefined,
    draft: Draft,
    viewer: Viewer,
    engine: Engine,
  ): Promise<Answer> {
    const version = ifVersion === undefined ? null : draft.slot({ kind: 'version' }, ifVersion, 'ifVersion')
    draft.finish(engine.limits)
    const plan: Write = { kind: 'write', of: this.#of, ifVersion: version, ...write }
    return engine.execute({ plan, values: draft.values(), places: draft.places }, viewer, whole)
  }
}

const whole = { whole: true }

function seen(text: string): unknown {
  return hasRefusals(text) ? withRefusals(text, () => null) : JSON.parse(text)
}

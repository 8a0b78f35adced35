// A store in its own folder or database with short methods, which checks plans as the engine does, for the tests of this
// module.

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe } from 'node:test'
import { ApiError, type Log } from '#base'
import { anonymous, type Viewer } from '#base/http'
import { loadModel, type Model } from '#model'
import {
  Authority,
  type AuthorizedPlan,
  type BoundPlan,
  type Confirmation,
  check,
  defaultLimits,
  type Limits,
  type Parameter,
  type Plan,
  type PlanResult,
  type ReadPlan,
  type WritePlan,
} from '#plan'
import { fullVisibility, PlanBuilder, planCreates, planInput, type Visibility } from '#plan/build'
import { migrateStore, openStore } from './databases.ts'
import { type PageRequest, planMany, planOne, resourceOf, selectAll } from './plan.fixture.ts'
import { postgres } from './postgres/dialect.ts'
import { makePreparedDatabase, type TestDatabase } from './postgres/test-database.fixture.ts'
import { postgresWriteDialect } from './postgres/write/write-dialect.ts'
import { compileRead } from './sql/read.ts'
import { sqlite } from './sqlite/dialect.ts'
import type { Store } from './store.ts'
import { wallClock } from './store-clock.ts'
import { layOut } from './tables/layout.ts'
import type { RunOptions } from './write/open-transaction.ts'

export type Json = Record<string, unknown>

export interface Written {
  id: string
  version: number
  created: boolean
  row: Json
}

interface TestStoreOptions {
  limits?: Partial<Limits>
  maxGroupedWrites?: number
  allowBreaking?: boolean
  /** Replaces the database's clock in the queue. */
  clock?: () => number
  /** SQLite by default. */
  on?: StoreName
  /** On SQLite: called with the raw database file before the store is opened over it. */
  prepare?: (database: DatabaseSync) => void
}

const dialects = { sqlite, postgres }
export type StoreName = keyof typeof dialects

/** The same tests on each store: `openTestStore(sdl, { on })`. */
export function onEachStore(title: string, tests: (on: StoreName) => void): void {
  for (const on of Object.keys(dialects) as StoreName[]) describe(`${title} (${on})`, () => tests(on))
}

export const silent: Log = { info() {}, warn() {}, error() {} }

export async function openTestStore(sdl: string, options: TestStoreOptions = {}): Promise<TestStore> {
  const data = mkdtempSync(join(tmpdir(), 'twain-store-'))
  if (options.prepare !== undefined) {
    await (await TestStore.open(data, sdl, options)).store.close()
    const database = new DatabaseSync(join(data, 'twain.db'))
    options.prepare(database)
    database.close()
  }
  return TestStore.open(data, sdl, options)
}

interface TestStoreParts {
  data: string
  /** Null on SQLite. */
  database: TestDatabase | null
  store: Store
  limits: Limits
  model: Model
  authority: Authority
}

export class TestStore {
  readonly data: string
  readonly model: Model
  readonly store: Store
  readonly #parts: TestStoreParts
  /** Null: no rules are checked. */
  readonly #viewer: Viewer | null
  #left = false

  private constructor(parts: TestStoreParts, viewer: Viewer | null) {
    this.data = parts.data
    this.model = parts.model
    this.store = parts.store
    this.#parts = parts
    this.#viewer = viewer
  }

  /** Reads and writes PostgreSQL without the store; null on SQLite. */
  get raw(): TestDatabase['raw'] | null {
    return this.#parts.database?.raw ?? null
  }

  static async open(data: string, sdl: string, options: TestStoreOptions = {}): Promise<TestStore> {
    const database = options.on === 'postgres' ? await makePreparedDatabase() : null
    return TestStore.#openOver(data, database, sdl, options).catch(async (error) => {
      await database?.drop()
      throw error
    })
  }

  static async #openOver(
    data: string,
    database: TestDatabase | null,
    sdl: string,
    options: TestStoreOptions,
  ): Promise<TestStore> {
    const model = loadModel(sdl, 'test.graphql')
    const limits = { ...defaultLimits, ...options.limits }
    const { maxGroupedWrites = 1000, allowBreaking = false } = options
    const address = database?.address ?? null
    const common = {
      data,
      database: address,
      poolSize: 4,
      model,
      sdl,
      limits,
      log: silent,
      maxGroupedWrites,
      allowBreaking,
      ...(options.clock !== undefined && { clock: options.clock }),
    }
    const store = await openStore(common)
    const authority = new Authority(model)
    store.backgroundDeletes.watch((types) => authority.setPendingDeletes(types))
    return new TestStore({ data, database, store, limits, model, authority }, anonymous)
  }

  /** Opens the same data with another schema; if that is refused, it can be tried again. */
  async reopenWith(sdl: string, options: Pick<TestStoreOptions, 'allowBreaking'> = {}): Promise<TestStore> {
    await this.#leave()
    return TestStore.#openOver(this.data, this.#parts.database, sdl, options)
  }

  /** `twain migrate --drop`; then it can only be opened again. */
  async migrateAndDrop(sdl: string): Promise<void> {
    await this.#leave()
    const model = loadModel(sdl, 'test.graphql')
    await migrateStore({ ...this.place, model, sdl, allowBreaking: false, drop: true, log: silent })
  }

  async #leave(): Promise<void> {
    if (!this.#left) await this.store.close()
    this.#left = true
  }

  /** The same store as someone else sees it; as null no rules are checked, and accounts need no password. */
  as(viewer: Partial<Viewer> | null): TestStore {
    return new TestStore(this.#parts, viewer === null ? null : { ...anonymous, authenticated: true, ...viewer })
  }

  /** The same data through another store. */
  withStore(store: Store): TestStore {
    return new TestStore({ ...this.#parts, store }, this.#viewer)
  }

  /** The location of the data, as flags of the command line. */
  get place(): { data: string; database: string | null } {
    return { data: this.data, database: this.#parts.database?.address ?? null }
  }

  async close(): Promise<void> {
    await this.#leave()
    await this.#parts.database?.drop()
    rmSync(this.data, { recursive: true, force: true })
  }

  /** Of plans for the viewer. */
  get visibility(): Visibility {
    return this.#viewer === null ? fullVisibility : this.#parts.authority.visibility(this.#viewer)
  }

  // -------------------------------------------------------------- writing

  create(type: string, input: Json): Promise<Written> {
    return this.#set('create', type, null, input)
  }

  /** All rows or none. Their ids. */
  async createAll(type: string, inputs: readonly Json[]): Promise<string[]> {
    const of = resourceOf(this.model, type)
    const builder = new PlanBuilder(this.visibility)
    const plan = planCreates(inputs, of, selectAll(of), builder, '', 0)
    builder.finish(defaultLimits)
    const made = await this.run({ plan, values: builder.values(), places: builder.places })
    return (made as PlanResult & { kind: 'batch' }).answers.map((one) => (one as PlanResult & { kind: 'written' }).id)
  }

  replace(type: string, id: string, input: Json, ifVersion?: number): Promise<Written> {
    return this.#set('replace', type, id, input, { ifVersion })
  }

  update(type: string, id: string, input: Json, how: { ifVersion?: number; merge?: boolean } = {}): Promise<Written> {
    return this.#set('update', type, id, input, how)
  }

  /** Whether the row existed. */
  async delete(type: string, id: string, ifVersion?: number): Promise<boolean> {
    const answer = await this.#write('delete', type, id, () => [], ifVersion)
    return (answer as PlanResult & { kind: 'deleted' }).found
  }

  /** Deletes with `Prefer: respond-async`. Whether the rest goes in the background. */
  async deleteAsync(type: string, id: string): Promise<boolean> {
    const answer = await this.#write('delete', type, id, () => [], undefined, { isAsync: true })
    return (answer as PlanResult & { kind: 'deleted' }).isPending === true
  }

  async restore(type: string, id: string): Promise<void> {
    await this.#write('restore', type, id, () => [], undefined)
  }

  async #set(
    action: 'create' | 'replace' | 'update',
    type: string,
    id: string | null,
    input: Json,
    how: { ifVersion?: number | undefined; merge?: boolean | undefined } = {},
  ): Promise<Written> {
    const of = resourceOf(this.model, type)
    const set = (builder: PlanBuilder) => planInput(input, of, action, builder, '', how.merge === true)
    const answer = await this.#write(action, type, id, set, how.ifVersion)
    const { text, version, created, id: written } = answer as PlanResult & { kind: 'written' }
    return { id: written, version, created, row: JSON.parse(text) as Json }
  }

  #write(
    action: WritePlan['action'],
    type: string,
    id: string | null,
    set: (builder: PlanBuilder) => WritePlan['set'],
    ifVersion: number | undefined,
    options: RunOptions = {},
  ): Promise<PlanResult> {
    const of = resourceOf(this.model, type)
    const builder = new PlanBuilder(this.visibility)
    const plan: WritePlan = {
      kind: 'write',
      action,
      of,
      id: id === null ? null : builder.parameter({ kind: 'type', type: { kind: 'scalar', name: 'ID' } }, id, 'id'),
      set: set(builder),
      ifVersion: ifVersion === undefined ? null : builder.parameter({ kind: 'version' }, ifVersion, 'ifVersion'),
      answer: action === 'delete' ? [] : selectAll(of),
    }
    builder.finish(defaultLimits)
    return this.run({ plan, values: builder.values(), places: builder.places }, options)
  }

  // -------------------------------------------------------------- reading

  async one(type: string, id: string, select?: PageRequest['select']): Promise<Json | null> {
    const answer = await this.run(planOne(this.model, type, id, select))
    const { text } = answer as PlanResult & { kind: 'one' }
    return text === null ? null : (JSON.parse(text) as Json)
  }

  /** The page as it is returned: an array, or a connection. */
  async many<Page = Json[]>(type: string, request: PageRequest = {}): Promise<Page> {
    const answer = await this.run(planMany(this.model, type, request))
    return JSON.parse((answer as PlanResult & { kind: 'many' }).text) as Page
  }

  async run(boundPlan: BoundPlan, options: RunOptions = {}): Promise<PlanResult> {
    const values = check(boundPlan, this.#parts.limits)
    const plan = this.#authorize(boundPlan.plan)
    if (plan.kind === 'write' && plan.currentPassword !== undefined) confirm(values, plan.currentPassword)
    return this.store.run(plan, values, options, this.#viewer ?? anonymous)
  }

  #authorize<P extends Plan>(plan: P): AuthorizedPlan<P> {
    return this.#viewer === null ? (plan as AuthorizedPlan<P>) : this.#parts.authority.authorize(plan, this.#viewer)
  }

  // -------------------------------------------------------------- reading the database itself

  /** The statement of a read, whichever store the rows are in. Storage names are those of a first start. */
  sql(boundPlan: BoundPlan<ReadPlan>, more = false, on: StoreName = 'sqlite'): string {
    const { layout } = layOut(this.model, null)
    return compileRead(this.#authorize(boundPlan.plan), layout, more, dialects[on]).sql
  }

  /** Runs SQL on the database. Placeholders are `?1`. */
  async query(sql: string, ...parameters: (string | number)[]): Promise<Json[]> {
    const raw = this.#parts.database?.raw
    if (raw !== undefined) {
      const rows = await raw.query(postgresWriteDialect.text(sql), parameters)
      return rows.map((row) => ({ ...row }))
    }
    const database = new DatabaseSync(join(this.data, 'twain.db'), { readOnly: true })
    try {
      return database
        .prepare(sql)
        .all(...parameters)
        .map((row) => ({ ...row }))
    } finally {
      database.close()
    }
  }

  /** Changes the database without the store. Placeholders are `?1`. */
  async execute(sql: string, ...parameters: (string | number)[]): Promise<void> {
    const raw = this.#parts.database?.raw
    if (raw !== undefined) {
      await raw.query(postgresWriteDialect.text(sql), parameters)
      return
    }
    const database = new DatabaseSync(join(this.data, 'twain.db'))
    try {
      database.prepare(sql).run(...parameters)
    } finally {
      database.close()
    }
  }

  /** Deletes the change log, as if its retention time had passed. PostgreSQL assigns positions a moment after a commit, and
   *  only entries with a position are deleted. */
  async pruneChanges(): Promise<void> {
    do await this.store.changes.prune(wallClock, -1e12)
    while ((await this.query('SELECT 1 AS n FROM twain_change LIMIT 1')).length > 0)
  }

  /** The change log in its order, with parsed images. */
  async changes(): Promise<Json[]> {
    const parse = (image: unknown) => (image === null ? null : JSON.parse(image as string))
    const position = this.#parts.database === null ? 'seq' : 'n'
    const rows = await this.query(
      `SELECT resource, id, kind, version, after, before FROM twain_change ORDER BY ${position}`,
    )
    return rows.map((change) => ({ ...change, after: parse(change.after), before: parse(change.before) }))
  }
}

/** The ApiError with which a promise rejects. */
export async function apiErrorOf(promise: Promise<unknown>): Promise<ApiError> {
  try {
    await promise
  } catch (error) {
    if (error instanceof ApiError) return error
    throw error
  }
  throw new Error('There was no error.')
}

/** As the engine does: the current password is the hash that it had when it was checked. Without one the viewer has just signed
 *  in. */
function confirm(values: unknown[], { index }: Parameter): void {
  const hash = values[index] as string | null
  const confirmation: Confirmation = hash === null ? { kind: 'recent' } : { kind: 'password', hash }
  values[index] = confirmation
}

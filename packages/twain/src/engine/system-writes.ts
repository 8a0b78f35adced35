// Writes of the types of the server itself. They pass the stages of the pipeline like all writes. Then the module that owns the
// type makes the change, and the engine reads the row back as the request selects it.
//
// 1. A writer saves the id of the row under the idempotency key, in the transaction of the change, and what only this response
//    shows. The engine saves the whole result over it. A request that finds only the first reads the row back.

import { ApiError, validationError } from '#base'
import type { IdempotencyKey, Viewer } from '#base/http'
import type { Resource, StoredField } from '#model'
import {
  type AuthorizedPlan,
  type Guard,
  isSetField,
  type Parameter,
  type PlanResult,
  type RowRead,
  type Selection,
  type SetField,
  type WriteChecks,
  type WritePlan,
} from '#plan'
import { type Query, type Store, toResult, type VersionPreconditions } from '#store'
import type { ExecuteOptions } from './execute-options.ts'

export interface SystemWrite {
  action: WritePlan['action']
  /** Empty for a create. */
  id: string
  /** The checked values of the fields that the request sets. */
  set: Readonly<Record<string, unknown>>
  /** Null: none. */
  precondition: SystemPrecondition | null
  viewer: Viewer
  idempotencyKey: IdempotencyKey | null
  /** Reads the row in the transaction of the change, so that the response is what the change wrote. */
  readBack(id: string): Query
}

/** `unmodifiedSince` is in milliseconds since 1970. */
export interface SystemPrecondition extends VersionPreconditions {
  unmodifiedSince: number | null
}

/** What a writer did. */
export interface SystemWritten extends SystemAnswer {
  /** The row of `readBack`; null after a delete. */
  row: unknown[] | null
  /** The idempotency record must not have what this response shows: a replay reads the row instead. */
  isUnrecorded?: true
}

/** What a writer saves under the idempotency key. */
export interface SystemAnswer {
  id: string
  /** The values of fields that only this response shows (`isShownOnce`). */
  shownOnce?: Readonly<Record<string, unknown>>
}

/** What the idempotency record of a change has. */
interface RecordedWrite {
  answer: SystemAnswer
}

/** Null: there is no such row. */
export type SystemWriter = (write: SystemWrite) => Promise<SystemWritten | null>

/** By the name of the type. */
export type SystemWriters = Readonly<Record<string, SystemWriter>>

type SystemWriteOptions = Pick<ExecuteOptions, 'idempotencyKey' | 'isDefaultSelection'>

interface WriteRequest {
  plan: AuthorizedPlan<WritePlan>
  values: readonly unknown[]
  viewer: Viewer
  key: IdempotencyKey | null
  isDefaultSelection: boolean
}

export class SystemWrites {
  readonly #writers: SystemWriters
  readonly #store: Pick<Store, 'run' | 'queryFor' | 'idempotency'>
  readonly #finishText: (text: string) => string
  /** The store caches compiled statements by the plan. */
  readonly #readBacks = new WeakMap<readonly Selection[], AuthorizedPlan<RowRead>>()
  readonly #guardReads = new WeakMap<WriteChecks, AuthorizedPlan<RowRead>>()

  /** `finishText` replaces the markers of a result: what is saved under a key outlives this process. */
  constructor(
    writers: SystemWriters,
    store: Pick<Store, 'run' | 'queryFor' | 'idempotency'>,
    finishText: (text: string) => string,
  ) {
    this.#writers = writers
    this.#store = store
    this.#finishText = finishText
  }

  async run(
    plan: AuthorizedPlan<WritePlan>,
    values: readonly unknown[],
    viewer: Viewer,
    { idempotencyKey, isDefaultSelection = false }: SystemWriteOptions,
  ): Promise<PlanResult> {
    const key = idempotencyKey ?? null
    const earlier = await this.#recall(key)
    if (earlier !== null && 'kind' in earlier) return earlier
    const request = { plan, values, viewer, key, isDefaultSelection }
    if (earlier !== null) return this.#replay(request, earlier.answer)
    const { result, isRecorded } = await this.#write(request)
    if (key !== null && isRecorded && !('replayed' in result)) await this.#store.idempotency.remember(key, result)
    return result
  }

  async #recall(key: IdempotencyKey | null): Promise<PlanResult | RecordedWrite | null> {
    return key === null ? null : this.#store.idempotency.recall<PlanResult | RecordedWrite>(key)
  }

  /** The change was made, but its result was not saved: the server was killed between the two. */
  async #replay(request: WriteRequest, answer: SystemAnswer): Promise<PlanResult> {
    const { plan, values, viewer } = request
    const { id } = answer
    if (plan.action === 'delete') return { kind: 'deleted', found: true, id, replayed: true }
    const read = this.#readBackOf(plan, values)
    const found = await this.#store.run(read, boundTo(id, read, values), { fresh: true }, viewer)
    return { ...this.#resultOf(request, answer, found), replayed: true }
  }

  async #write(request: WriteRequest): Promise<{ result: PlanResult; isRecorded: boolean }> {
    const { plan, values, viewer, key: idempotencyKey } = request
    const { of, action } = plan
    const id = plan.id === null ? '' : String(values[plan.id.index])
    const precondition = preconditionOf(plan, values)
    const read = this.#readBackOf(plan, values)
    const readBack = (written: string) => this.#store.queryFor(read, boundTo(written, read, values), viewer)
    const write = { action, id, set: setOf(plan, values), precondition, viewer, idempotencyKey, readBack }
    try {
      const isAllowed = id === '' || (await this.#mayWrite(plan, id, viewer))
      const written = isAllowed ? await this.#writers[of.name]!(write) : null
      if (written === null) throw notFound(of, id)
      if (action === 'delete') return recorded({ kind: 'deleted', found: true, id })
      const result = this.#resultOf(request, written, toResult(read, written.row))
      return { result, isRecorded: written.isUnrecorded !== true }
    } catch (error) {
      // Another request may have made the same write under the key meanwhile.
      const other = await this.#recall(idempotencyKey)
      if (other !== null) return recorded('kind' in other ? other : await this.#replay(request, other.answer))
      if (action === 'delete' && isNotFound(error)) return recorded({ kind: 'deleted', found: false, id })
      throw error
    }
  }

  /** Rules that name a role hold for all rows or none. Of others the row decides: to a viewer who may not write it, there is no
   *  such row. Nothing that rules look at ever changes in such a row. */
  async #mayWrite({ of, checks }: WritePlan, id: string, viewer: Viewer): Promise<boolean> {
    const guards = [checks?.read, checks?.before].filter((guard) => guard !== undefined)
    if (checks === undefined || guards.length === 0) return true
    const known = this.#guardReads.get(checks)
    const read = known ?? guardRead(of, { kind: 'and', of: guards })
    this.#guardReads.set(checks, read)
    const found = await this.#store.run(read, [id], { fresh: true }, viewer)
    return found.kind === 'one' && found.text !== null
  }

  #resultOf(
    { plan, isDefaultSelection }: WriteRequest,
    { id, shownOnce }: SystemAnswer,
    found: PlanResult,
  ): PlanResult & { kind: 'written' } {
    const { of, action, answer } = plan
    if (found.kind !== 'one' || found.text === null) throw notFound(of, id)
    const read = shownOnce === undefined ? found.text : withShownOnce(found.text, shownOnce, answer, isDefaultSelection)
    return { kind: 'written', text: this.#finishText(read), id, version: found.version, created: action === 'create' }
  }

  /** Its parameters are those of the selections, which come first in a write, and then the id. */
  #readBackOf(plan: AuthorizedPlan<WritePlan>, values: readonly unknown[]): AuthorizedPlan<RowRead> {
    const known = this.#readBacks.get(plan.answer)
    if (known !== undefined) return known
    const first = [plan.id, ...plan.set.filter(isSetField).map(({ parameter }) => parameter)].find(
      (one) => one !== null,
    )
    const id = idParameter(first?.index ?? values.length)
    const made = { kind: 'one', of: plan.of, id, selections: plan.answer } as AuthorizedPlan<RowRead>
    this.#readBacks.set(plan.answer, made)
    return made
  }
}

function recorded(result: PlanResult): { result: PlanResult; isRecorded: true } {
  return { result, isRecorded: true }
}

function idParameter(index: number): Parameter {
  return { index, accepts: { kind: 'type', type: { kind: 'scalar', name: 'ID' } } }
}

/** Finds the row if the guard holds. */
function guardRead(of: Resource, guard: Guard): AuthorizedPlan<RowRead> {
  const field = of.fields.get('id') as StoredField
  const selections: Selection[] = [{ kind: 'field', key: 'id', field }]
  return { kind: 'one', of, id: idParameter(0), guard, selections } as RowRead as AuthorizedPlan<RowRead>
}

function boundTo(id: string, read: RowRead, values: readonly unknown[]): unknown[] {
  return [...values.slice(0, read.id!.index), id]
}

/** The default representation has the fields that there is something to show of. */
function withShownOnce(
  text: string,
  shownOnce: Readonly<Record<string, unknown>>,
  answer: readonly Selection[],
  isDefaultSelection: boolean,
): string {
  const row = JSON.parse(text) as Record<string, unknown>
  for (const [name, value] of Object.entries(shownOnce)) {
    if (isDefaultSelection) row[name] = value
    for (const one of answer) if (one.kind === 'field' && one.field.name === name) row[one.key] = value
  }
  return JSON.stringify(row)
}

function notFound({ name }: Resource, id: string): ApiError {
  return new ApiError('NOT_FOUND', `There is no ${name} with the id "${id}".`)
}

function isNotFound(error: unknown): boolean {
  return error instanceof ApiError && error.code === 'NOT_FOUND'
}

/** Throws if the request sets a field that only the server sets. */
function setOf({ of, action, set }: WritePlan, values: readonly unknown[]): Record<string, unknown> {
  const fields = set.filter(isSetField)
  const refused = fields.filter(({ field }) => !isWritable(field, of, action))
  if (refused.length > 0) {
    throw validationError(
      refused.map(({ field }) => ({ path: field.name, code: 'READONLY', message: 'is set by the server.' })),
    )
  }
  return Object.fromEntries(fields.map(({ field, parameter }) => [field.name, values[parameter.index]]))
}

function isWritable(field: SetField['field'], { fields }: Resource, action: WritePlan['action']): boolean {
  if (field.kind === 'links' || fields.get(field.name) !== field || field.name === 'id') return false
  if (field.kind === 'reference') return true // the writer compares it
  return field.auto === null && (action === 'create' || !field.immutable)
}

function preconditionOf(
  { ifVersion, preconditions }: WritePlan,
  values: readonly unknown[],
): SystemPrecondition | null {
  if (ifVersion === null && preconditions === undefined) return null
  const { presence = null, versions, otherVersions, unmodified } = preconditions ?? {}
  const list = (parameter: Parameter | undefined) =>
    parameter === undefined ? null : (values[parameter.index] as number[])
  return {
    presence,
    versions: ifVersion === null ? list(versions) : [values[ifVersion.index] as number],
    otherVersions: list(otherVersions),
    unmodifiedSince: unmodified === undefined ? null : Date.parse(String(values[unmodified.since.index])),
  }
}

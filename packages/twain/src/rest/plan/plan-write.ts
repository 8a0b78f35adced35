// POST, PUT, PATCH, DELETE → a BoundPlan. The selections of the response are cached for each choice of fields and class of
// viewers, and the plans of creates by the names in the body; the rest is planned for each request.
//
// Order of parameters: first those of the response, because requests that set different fields share its selections; then the
// id, the fields in the order of the body, and the preconditions.

import { Cache, CacheBudget, didYouMean, isRecord } from '#base'
import type { Resource, StoredType } from '#model'
import {
  type BoundPlan,
  type Limits,
  type Parameter,
  type Preconditions,
  planBytes,
  type RowLocator,
  type Selection,
  type WriteBatch,
  type WritePlan,
} from '#plan'
import {
  expectPossibleNewId,
  expectRows,
  PlanBuilder,
  PlannedCreates,
  planCreates,
  planDeletion,
  planInput,
  planMerge,
  planMerges,
  planRedelivery,
  planReversion,
  type UnboundValues,
  type Visibility,
  withKey,
  withoutKey,
} from '#plan/build'
import { deleteParameters, readPurge } from '../request/deleted-rows.ts'
import { conflictParameter, readConflict } from '../request/on-conflict.ts'
import {
  expectPossibleId,
  hasKey,
  keyParts,
  locateRow,
  type ParsedRequest,
  resourceOf,
} from '../request/parsed-request.ts'
import type { WritePreconditions } from '../request/preconditions.ts'
import { expectParameters, noQuery } from '../request/query-string.ts'
import type { RecordBody } from '../request/record-body.ts'
import type { Route } from '../request/route.ts'
import { selectRow } from './fields.ts'

interface CachedRepresentation extends UnboundValues {
  selections: Selection[]
}

/** Creates without a query. */
interface BareCreates {
  creates: PlannedCreates
  /** The values of the parameters of the response. */
  before: readonly unknown[]
}

export class WritePlanner {
  /** By the visibility itself, not by its key: whether a create needs a password depends on more of it. */
  readonly #bare = new WeakMap<Route, WeakMap<Visibility, BareCreates>>()
  readonly #representations: Cache<string, CachedRepresentation>
  /** A link returns nothing. One array for each type: the store caches compiled reads by the array. */
  readonly #emptySelections = new Map<Resource, Selection[]>()
  readonly #limits: Limits

  constructor(limits: Limits, budget = new CacheBudget()) {
    this.#limits = limits
    this.#representations = new Cache({
      name: 'rest_representations',
      budget,
      bytes: ({ selections }) => 2 * planBytes(selections), // with the statement that reads the written row
    })
  }

  create(parsed: ParsedRequest, body: unknown): BoundPlan<WritePlan> {
    const isBare = parsed.query === noQuery && parsed.route.kind === 'collection'
    return isBare ? this.#createBare(parsed, body) : this.#createFresh(parsed, body)
  }

  #createBare(parsed: ParsedRequest, body: unknown): BoundPlan<WritePlan> {
    const { route, visibility } = parsed
    const byVisibility = this.#bare.get(route) ?? new WeakMap<Visibility, BareCreates>()
    const known = byVisibility.get(visibility)
    const bound = known?.creates.bind(body, known.before) ?? null
    if (bound !== null) return bound
    const { of, builder, answer } = this.#beginCreate(parsed)
    const bare = known ?? { creates: new PlannedCreates(), before: builder.values() }
    const fresh = this.#planCreate(parsed, body, of, answer, builder)
    byVisibility.set(visibility, bare)
    this.#bare.set(route, byVisibility)
    return bare.creates.keep(body, bare.before.length, fresh)
  }

  #createFresh(parsed: ParsedRequest, body: unknown): BoundPlan<WritePlan> {
    const { of, builder, answer } = this.#beginCreate(parsed)
    return this.#planCreate(parsed, body, of, answer, builder)
  }

  #planCreate(
    parsed: ParsedRequest,
    body: unknown,
    of: Resource,
    answer: Selection[],
    builder: PlanBuilder,
  ): BoundPlan<WritePlan> {
    const input = withOwner(body, parsed, builder, '')
    const conflict = readConflict(parsed, of, builder)
    if (conflict !== null) {
      const { fields, resolution } = conflict
      return this.#finish(planMerge({ input, place: '' }, fields, resolution, of, answer, builder), builder)
    }
    const set = planInput(input, of, 'create', builder, '', false)
    return this.#finish({ kind: 'write', action: 'create', of, id: null, set, ifVersion: null, answer }, builder)
  }

  /** One row of many that are created each for itself. Nothing is read back: its result has its id. */
  createPlain(parsed: ParsedRequest, body: unknown): BoundPlan<WritePlan> {
    const of = resourceOf(parsed)
    const builder = new PlanBuilder(parsed.visibility, undefined, this.#limits.transaction)
    const answer = this.#emptySelections.get(of) ?? []
    this.#emptySelections.set(of, answer)
    return this.#planCreate(parsed, body, of, answer, builder)
  }

  /** Throws if the parameters are not those of a lenient create. */
  expectLenient(parsed: ParsedRequest): void {
    if (parsed.route.kind === 'nested') expectPossibleId(parsed)
    const builder = new PlanBuilder(parsed.visibility)
    builder.problems.push(...parsed.query.problems)
    expectParameters(parsed.query, [conflictParameter], builder)
    readConflict(parsed, resourceOf(parsed), builder)
    builder.finish(this.#limits)
  }

  /** Sends a row of a nested list again. */
  redeliver(parsed: ParsedRequest, body: unknown): BoundPlan<WritePlan> {
    const { of, builder, answer } = this.#beginCreate(parsed)
    return this.#finish(planRedelivery(parsed.id, body, of, answer, builder), builder)
  }

  /** All rows or none. `read`: where the rows are in the body if it is no array, and problems of rows that could not be read. */
  createAll(
    parsed: ParsedRequest,
    rows: readonly unknown[],
    read?: Pick<RecordBody, 'places' | 'problems' | 'count'>,
  ): BoundPlan<WriteBatch> {
    const { of, builder, answer } = this.#beginCreate(parsed)
    const { bulk } = this.#limits
    const places = read?.places
    const inputs = rows.map((row, index) => withOwner(row, parsed, builder, `${places?.[index] ?? index}.`))
    if (read !== undefined) {
      expectRows(read.count, builder, '', bulk)
      builder.problems.push(...read.problems)
    }
    const conflict = readConflict(parsed, of, builder)
    if (conflict !== null) {
      const { fields, resolution } = conflict
      return this.#finish(planMerges(inputs, fields, resolution, of, answer, builder, bulk, places), builder)
    }
    return this.#finish(planCreates(inputs, of, answer, builder, '', bulk, places), builder)
  }

  #beginCreate(parsed: ParsedRequest): { of: Resource; builder: PlanBuilder; answer: Selection[] } {
    if (parsed.route.kind === 'nested') expectPossibleId(parsed)
    const of = resourceOf(parsed)
    return { of, ...this.#begin(parsed, of, createParameters) }
  }

  replace(parsed: ParsedRequest, body: unknown, conditions: WritePreconditions | null): BoundPlan<WritePlan> {
    const of = resourceOf(parsed)
    const { builder, answer } = this.#begin(parsed, of)
    if (!hasKey(parsed)) expectPossibleNewId(parsed.id, builder)
    const locator = locateRow(parsed, of, builder)
    const own = withKey(withoutId(body, parsed, builder), keyParts(parsed))
    const set = planInput(own, of, 'replace', builder, '', false)
    const preconditions = planPreconditions(conditions, of, builder)
    return this.#finish({ kind: 'write', action: 'replace', of, ...locator, set, ...preconditions, answer }, builder)
  }

  /** `merge`: value types are merged into the current value, as in a merge patch. */
  update(
    parsed: ParsedRequest,
    body: unknown,
    merge: boolean,
    conditions: WritePreconditions | null,
  ): BoundPlan<WritePlan> {
    expectPossibleId(parsed)
    const of = resourceOf(parsed)
    const { builder, answer } = this.#begin(parsed, of)
    const locator = locateRow(parsed, of, builder)
    const set = planInput(withoutId(body, parsed, builder), of, 'update', builder, '', merge)
    const preconditions = planPreconditions(conditions, of, builder)
    return this.#finish({ kind: 'write', action: 'update', of, ...locator, set, ...preconditions, answer }, builder)
  }

  /** `body`: undefined without one. */
  delete(parsed: ParsedRequest, conditions: WritePreconditions | null, body?: unknown): BoundPlan<WritePlan> {
    const { of, locator, builder } = this.#beginBare(parsed, deleteParameters(resourceOf(parsed)))
    const action = readPurge(parsed.query, of, builder) ? 'purge' : 'delete'
    const set = planDeletion(of, readConfirmation(body, builder), builder)
    const preconditions = planPreconditions(conditions, of, builder)
    return this.#finish({ kind: 'write', action, of, ...locator, set, ...preconditions, answer: [] }, builder)
  }

  /** Takes a delete back. */
  restore(parsed: ParsedRequest, body: unknown, conditions: WritePreconditions | null): BoundPlan<WritePlan> {
    expectPossibleId(parsed)
    const of = resourceOf(parsed)
    const { builder, answer } = this.#begin(parsed, of)
    expectEmpty(body, builder)
    const locator = locateRow(parsed, of, builder)
    const preconditions = planPreconditions(conditions, of, builder)
    return this.#finish(
      { kind: 'write', action: 'restore', of, ...locator, set: [], ...preconditions, answer },
      builder,
    )
  }

  /** Puts an earlier version back. */
  revert(parsed: ParsedRequest, body: unknown, conditions: WritePreconditions | null): BoundPlan<WritePlan> {
    expectPossibleId(parsed)
    const of = resourceOf(parsed)
    const { builder, answer } = this.#begin(parsed, of)
    const locator = locateRow(parsed, of, builder)
    const revert = planReversion(of, readVersion(body, builder), builder)
    const preconditions = planPreconditions(conditions, of, builder)
    return this.#finish(
      { kind: 'write', action: 'update', of, ...locator, set: [], revert, ...preconditions, answer },
      builder,
    )
  }

  /** Adds or removes one link of a many-to-many list: an update that does not need the whole list. */
  link(parsed: ParsedRequest, change: 'add' | 'remove', conditions: WritePreconditions | null): BoundPlan<WritePlan> {
    const { route, linkedId } = parsed
    if (route.kind !== 'link') throw new Error(`a ${route.kind} is no link`)
    const { field } = route
    const { of, locator, builder } = this.#beginBare(parsed)
    const parameter = builder.parameter({ kind: 'field', field, merge: false }, [linkedId], field.name)
    const preconditions = planPreconditions(conditions, of, builder)
    const answer = this.#emptySelections.get(of) ?? []
    this.#emptySelections.set(of, answer)
    const set = [{ field, parameter, change }]
    return this.#finish({ kind: 'write', action: 'update', of, ...locator, set, ...preconditions, answer }, builder)
  }

  /** For writes without a response body. */
  #beginBare(
    parsed: ParsedRequest,
    parameters: readonly string[] = [],
  ): { of: Resource; locator: RowLocator; builder: PlanBuilder } {
    expectPossibleId(parsed)
    const builder = new PlanBuilder(parsed.visibility)
    builder.problems.push(...parsed.query.problems)
    expectParameters(parsed.query, parameters, builder)
    const of = resourceOf(parsed)
    return { of, locator: locateRow(parsed, of, builder), builder }
  }

  /** A builder that already has the parameters of the response. */
  #begin(
    { query, visibility }: ParsedRequest,
    of: Resource,
    parameters: readonly string[] = ['fields'],
  ): { builder: PlanBuilder; answer: Selection[] } {
    const builder = new PlanBuilder(visibility, undefined, this.#limits.transaction)
    builder.problems.push(...query.problems)
    expectParameters(query, parameters, builder)
    const choice = query.parameters.fields === undefined ? of.path : `${of.path}?${query.parameters.fields}`
    const key = `${visibility.key}\n${choice}`
    const cached = this.#representations.get(key)
    if (cached !== undefined) {
      builder.addPlanned(cached, cached.requestValues)
      return { builder, answer: cached.selections }
    }
    const before = builder.problems.length
    const selections = selectRow(of, query.parameters.fields, builder)
    const isValid = builder.problems.length === before
    if (isValid) this.#representations.set(key, { selections, ...builder.unbound() })
    return { builder, answer: selections }
  }

  #finish<P extends WritePlan | WriteBatch>(plan: P, builder: PlanBuilder): BoundPlan<P> {
    builder.finish(this.#limits)
    return builder.bind(plan)
  }
}

const createParameters = ['fields', conflictParameter]

type PlannedPreconditions = { ifVersion: Parameter | null; preconditions?: Preconditions }

const intType: StoredType = { kind: 'scalar', name: 'Int' }

/** One version becomes `ifVersion`, as in GraphQL, which has no other preconditions. */
function planPreconditions(
  conditions: WritePreconditions | null,
  of: Resource,
  builder: PlanBuilder,
): PlannedPreconditions {
  if (conditions === null) return { ifVersion: null }
  const { presence, versions, otherVersions, unmodifiedSince } = conditions
  const [only, ...more] = versions ?? []
  const ifVersion =
    only === undefined || more.length > 0 ? null : builder.parameter({ kind: 'version' }, only, 'If-Match')
  const preconditions: Preconditions = {
    ...(presence === null ? {} : { presence }),
    ...(more.length === 0
      ? {}
      : { versions: builder.parameter({ kind: 'types', type: intType }, versions, 'If-Match') }),
    ...(otherVersions === null
      ? {}
      : { otherVersions: builder.parameter({ kind: 'types', type: intType }, otherVersions, 'If-None-Match') }),
    ...planUnmodified(unmodifiedSince, of, builder),
  }
  return Object.keys(preconditions).length === 0 ? { ifVersion } : { ifVersion, preconditions }
}

/** If-Unmodified-Since is ignored if the type has no update time, or the viewer may not see it (RFC 9110, 13.1.4). */
function planUnmodified(
  time: number | null,
  of: Resource,
  builder: PlanBuilder,
): { unmodified?: NonNullable<Preconditions['unmodified']> } {
  const by = [...of.fields.values()].find((field) => field.kind === 'stored' && field.auto === 'UPDATE_TIME')
  if (time === null || by?.kind !== 'stored' || builder.visibility.maybeHidden(by)) return {}
  const type: StoredType = { kind: 'scalar', name: 'DateTime' }
  const since = builder.parameter({ kind: 'type', type }, new Date(time).toISOString(), 'If-Unmodified-Since')
  return { unmodified: { by, since } }
}

/** Removes the id or the key from the body. It must equal that of the path (R44). With a key, the store compares the id. */
function withoutId(body: unknown, parsed: ParsedRequest, builder: PlanBuilder): unknown {
  if (hasKey(parsed)) return withoutKey(body, keyParts(parsed), builder, 'in the path')
  if (!isRecord(body) || !Object.hasOwn(body, 'id')) return body
  const { id, ...rest } = body
  if (id !== parsed.id) builder.problem('id', 'READONLY', `must be "${parsed.id}" as in the path, or be left out.`)
  return rest
}

/** A row created in `/users/{id}/posts` references that user; another user in the body is an error (R45). */
function withOwner(body: unknown, { route, id }: ParsedRequest, builder: PlanBuilder, place: string): unknown {
  if (route.kind !== 'nested' || route.field.kind !== 'many' || !isRecord(body)) return body
  const { via, owner } = route.field
  const typed = `${owner.name}:${id}`
  const sent = Object.hasOwn(body, via.name) ? body[via.name] : undefined
  if (sent !== undefined && sent !== id && !(via.to.kind === 'abstract' && sent === typed)) {
    builder.problem(`${place}${via.name}`, 'READONLY', `must be "${id}" as in the path, or be left out.`)
  }
  return { ...body, [via.name]: via.to.kind === 'abstract' ? typed : id }
}

/** The version in the body of a reversion: `{"version": 3}`. */
function readVersion(body: unknown, builder: PlanBuilder): unknown {
  if (!isRecord(body)) {
    builder.problem('', 'TYPE', 'must be an object with a version: {"version": 3}.')
    return 0
  }
  for (const name of Object.keys(body)) {
    if (name !== 'version') builder.problem(name, 'UNKNOWN', `is unknown.${didYouMean(name, ['version'])}`)
  }
  if (body.version !== undefined) return body.version
  builder.problem('version', 'REQUIRED', 'is required.')
  return 0
}

/** For a POST that has nothing to say: a body of fields would be ignored. */
function expectEmpty(body: unknown, builder: PlanBuilder): void {
  if (body === undefined) return
  if (!isRecord(body)) builder.problem('', 'TYPE', 'must be empty.')
  else
    for (const name of Object.keys(body)) builder.problem(name, 'UNKNOWN', 'is unknown: a restoration takes no body.')
}

/** The current password in the body of a DELETE, which may have one; undefined without one. */
function readConfirmation(body: unknown, builder: PlanBuilder): unknown {
  if (body === undefined) return undefined
  if (!isRecord(body)) {
    builder.problem('', 'TYPE', 'must be an object with currentPassword.')
    return undefined
  }
  for (const name of Object.keys(body).filter((one) => one !== 'currentPassword'))
    builder.problem(name, 'UNKNOWN', `is unknown.${didYouMean(name, ['currentPassword'])}`)
  return body.currentPassword
}

// POST, PUT, PATCH, DELETE → a Question. What is answered of the written row is planned once for each choice of fields and
// class of viewers, and kept; what is set is of each request.
//
// Slots: those of the answer first, since the answer's picks are shared by requests that set different things; then the id,
// what is set in the order of the body, and the version.

import { Cache, isRecord } from '#base'
import type { Resource, StoredType } from '#model'
import type { BoundPlan, Limits, Parameter, Preconditions, Selection, WriteBatch, WritePlan } from '#plan'
import { expectPossibleNewId, PlanBuilder, planCreates, planInput } from '#plan/build'
import { expectPossibleId, idParameter, type ParsedRequest, resourceOf } from '../request/parsed-request.ts'
import type { WritePreconditions } from '../request/preconditions.ts'
import { expectParameters } from '../request/query-string.ts'
import { selectRow } from './fields.ts'

interface CachedRepresentation {
  selections: Selection[]
  requestValues: readonly unknown[]
  places: readonly string[]
}

export class WritePlanner {
  readonly #representations = new Cache<string, CachedRepresentation>(1000)
  /** What a link answers: one array for each type, by which the store knows what it has compiled. */
  readonly #emptySelections = new Map<Resource, Selection[]>()
  readonly #limits: Limits

  constructor(limits: Limits) {
    this.#limits = limits
  }

  create(parsed: ParsedRequest, body: unknown): BoundPlan<WritePlan> {
    const { of, draft: builder, answer } = this.#beginCreate(parsed)
    const set = planInput(withOwner(body, parsed, builder, ''), of, 'create', builder, '', false)
    return this.#finish({ kind: 'write', action: 'create', of, id: null, set, ifVersion: null, answer }, builder)
  }

  /** All rows or none. */
  createAll(parsed: ParsedRequest, rows: readonly unknown[]): BoundPlan<WriteBatch> {
    const { of, draft: builder, answer } = this.#beginCreate(parsed)
    const inputs = rows.map((row, index) => withOwner(row, parsed, builder, `${index}.`))
    return this.#finish(planCreates(inputs, of, answer, builder, ''), builder)
  }

  #beginCreate(parsed: ParsedRequest): { of: Resource; draft: PlanBuilder; answer: Selection[] } {
    if (parsed.route.kind === 'nested') expectPossibleId(parsed)
    const of = resourceOf(parsed)
    return { of, ...this.#begin(parsed, of) }
  }

  replace(parsed: ParsedRequest, body: unknown, conditions: WritePreconditions | null): BoundPlan<WritePlan> {
    const of = resourceOf(parsed)
    const { draft: builder, answer } = this.#begin(parsed, of)
    expectPossibleNewId(parsed.id, builder)
    const id = idParameter(parsed, builder)
    const set = planInput(withoutId(body, parsed, builder), of, 'replace', builder, '', false)
    const given = planPreconditions(conditions, of, builder)
    return this.#finish({ kind: 'write', action: 'replace', of, id, set, ...given, answer }, builder)
  }

  /** `merge`: value types are merged into what is there, as a merge patch has it. */
  update(
    parsed: ParsedRequest,
    body: unknown,
    merge: boolean,
    conditions: WritePreconditions | null,
  ): BoundPlan<WritePlan> {
    expectPossibleId(parsed)
    const of = resourceOf(parsed)
    const { draft: builder, answer } = this.#begin(parsed, of)
    const id = idParameter(parsed, builder)
    const set = planInput(withoutId(body, parsed, builder), of, 'update', builder, '', merge)
    const given = planPreconditions(conditions, of, builder)
    return this.#finish({ kind: 'write', action: 'update', of, id, set, ...given, answer }, builder)
  }

  delete(parsed: ParsedRequest, conditions: WritePreconditions | null): BoundPlan<WritePlan> {
    const { of, id, draft: builder } = this.#beginBare(parsed)
    const given = planPreconditions(conditions, of, builder)
    return this.#finish({ kind: 'write', action: 'delete', of, id, set: [], ...given, answer: [] }, builder)
  }

  /** One link of a many-to-many list: the same update as one that names the whole list, which may be long. */
  link(parsed: ParsedRequest, change: 'add' | 'remove', conditions: WritePreconditions | null): BoundPlan<WritePlan> {
    const { route, linkedId: far } = parsed
    if (route.kind !== 'link') throw new Error(`a ${route.kind} is no link`)
    const { field } = route
    const { of, id, draft: builder } = this.#beginBare(parsed)
    const parameter = builder.parameter({ kind: 'field', field, merge: false }, [far], field.name)
    const given = planPreconditions(conditions, of, builder)
    const answer = this.#emptySelections.get(of) ?? []
    this.#emptySelections.set(of, answer)
    const set = [{ field, parameter, change }]
    return this.#finish({ kind: 'write', action: 'update', of, id, set, ...given, answer }, builder)
  }

  /** Of a write that answers with nothing. */
  #beginBare(parsed: ParsedRequest): { of: Resource; id: Parameter; draft: PlanBuilder } {
    expectPossibleId(parsed)
    const builder = new PlanBuilder(parsed.visibility)
    builder.problems.push(...parsed.query.problems)
    expectParameters(parsed.query, [], builder)
    return { of: resourceOf(parsed), id: idParameter(parsed, builder), draft: builder }
  }

  /** A draft that already has the answer's slots. */
  #begin({ query, visibility }: ParsedRequest, of: Resource): { draft: PlanBuilder; answer: Selection[] } {
    const builder = new PlanBuilder(visibility, undefined, this.#limits.transaction)
    builder.problems.push(...query.problems)
    expectParameters(query, ['fields'], builder)
    const choice = query.parameters.fields === undefined ? of.path : `${of.path}?${query.parameters.fields}`
    const key = `${visibility.key}\n${choice}`
    const known = this.#representations.get(key)
    if (known !== undefined) {
      builder.requestValues.push(...known.requestValues)
      builder.places.push(...known.places)
      return { draft: builder, answer: known.selections }
    }
    const before = builder.problems.length
    const selection = selectRow(of, query.parameters.fields, builder)
    const sound = builder.problems.length === before
    if (sound)
      this.#representations.set(key, {
        selections: selection,
        requestValues: [...builder.requestValues],
        places: [...builder.places],
      })
    return { draft: builder, answer: selection }
  }

  #finish<P extends WritePlan | WriteBatch>(plan: P, builder: PlanBuilder): BoundPlan<P> {
    builder.finish(this.#limits)
    return { plan, values: builder.values(), places: builder.places }
  }
}

type Conditions = { ifVersion: Parameter | null; preconditions?: Preconditions }

const intType: StoredType = { kind: 'scalar', name: 'Int' }

/** One version is what GraphQL's `ifVersion` is; there is no word for the others there. */
function planPreconditions(conditions: WritePreconditions | null, of: Resource, builder: PlanBuilder): Conditions {
  if (conditions === null) return { ifVersion: null }
  const { presence, versions, otherVersions, unmodifiedSince } = conditions
  const [only, ...more] = versions ?? []
  const ifVersion =
    only === undefined || more.length > 0 ? null : builder.parameter({ kind: 'version' }, only, 'If-Match')
  const given: Preconditions = {
    ...(presence === null ? {} : { presence }),
    ...(more.length === 0
      ? {}
      : { versions: builder.parameter({ kind: 'types', type: intType }, versions, 'If-Match') }),
    ...(otherVersions === null
      ? {}
      : { otherVersions: builder.parameter({ kind: 'types', type: intType }, otherVersions, 'If-None-Match') }),
    ...planUnmodified(unmodifiedSince, of, builder),
  }
  return Object.keys(given).length === 0 ? { ifVersion } : { ifVersion, preconditions: given }
}

/** A row without such a time, or whose time may not be seen, has none to compare (RFC 9110, 13.1.4). */
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

/** The id in a body must be the one of the path; it says nothing new then (R44). */
function withoutId(body: unknown, parsed: ParsedRequest, builder: PlanBuilder): unknown {
  if (!isRecord(body) || !Object.hasOwn(body, 'id')) return body
  const { id, ...rest } = body
  if (id !== parsed.id) builder.problem('id', 'READONLY', `must be "${parsed.id}" as in the path, or be left out.`)
  return rest
}

/** A row made in `/users/{id}/posts` refers to that user; a body that says another is a mistake (R45). */
function withOwner(body: unknown, { route, id }: ParsedRequest, builder: PlanBuilder, place: string): unknown {
  if (route.kind !== 'nested' || route.field.kind !== 'many' || !isRecord(body)) return body
  const { via, owner } = route.field
  const typed = `${owner.name}:${id}`
  const said = Object.hasOwn(body, via.name) ? body[via.name] : undefined
  if (said !== undefined && said !== id && !(via.to.kind === 'abstract' && said === typed)) {
    builder.problem(`${place}${via.name}`, 'READONLY', `must be "${id}" as in the path, or be left out.`)
  }
  return { ...body, [via.name]: via.to.kind === 'abstract' ? typed : id }
}

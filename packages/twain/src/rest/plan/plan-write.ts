// POST, PUT, PATCH, DELETE → a Question. What is answered of the written row is planned once for each choice of fields and
// class of viewers, and kept; what is set is of each request.
//
// Slots: those of the answer first, since the answer's picks are shared by requests that set different things; then the id,
// what is set in the order of the body, and the version.

import { Cache, isRecord } from '#base'
import type { Resource, StoredType } from '#model'
import type { BoundPlan, Limits, Parameter, Preconditions, Selection, WriteBatch, WritePlan } from '#plan'
import { expectPossibleNewId, PlanBuilder, planCreates, planInput } from '#plan/build'
import { expectParameters } from '../request/expect-parameters.ts'
import { expectPossibleId, idSlot } from '../request/ids.ts'
import { concrete, type ParsedRequest } from '../request/parsed-request.ts'
import type { WriteConditions } from '../request/preconditions.ts'
import { pickRow } from './fields.ts'

interface Representation {
  pick: Selection[]
  leaves: readonly unknown[]
  places: readonly string[]
}

export class WritePlanner {
  readonly #representations = new Cache<string, Representation>(1000)
  /** What a link answers: one array for each type, by which the store knows what it has compiled. */
  readonly #nothing = new Map<Resource, Selection[]>()
  readonly #limits: Limits

  constructor(limits: Limits) {
    this.#limits = limits
  }

  create(asked: ParsedRequest, body: unknown): BoundPlan<WritePlan> {
    const { of, draft: builder, answer } = this.#beginCreate(asked)
    const set = planInput(withOwner(body, asked, builder, ''), of, 'create', builder, '', false)
    return this.#finish({ kind: 'write', action: 'create', of, id: null, set, ifVersion: null, answer }, builder)
  }

  /** All rows or none. */
  createAll(asked: ParsedRequest, rows: readonly unknown[]): BoundPlan<WriteBatch> {
    const { of, draft: builder, answer } = this.#beginCreate(asked)
    const inputs = rows.map((row, index) => withOwner(row, asked, builder, `${index}.`))
    return this.#finish(planCreates(inputs, of, answer, builder, ''), builder)
  }

  #beginCreate(asked: ParsedRequest): { of: Resource; draft: PlanBuilder; answer: Selection[] } {
    if (asked.route.kind === 'nested') expectPossibleId(asked)
    const of = concrete(asked)
    return { of, ...this.#begin(asked, of) }
  }

  replace(asked: ParsedRequest, body: unknown, conditions: WriteConditions | null): BoundPlan<WritePlan> {
    const of = concrete(asked)
    const { draft: builder, answer } = this.#begin(asked, of)
    expectPossibleNewId(asked.id, builder)
    const id = idSlot(asked, builder)
    const set = planInput(withoutId(body, asked, builder), of, 'replace', builder, '', false)
    const given = planConditions(conditions, of, builder)
    return this.#finish({ kind: 'write', action: 'replace', of, id, set, ...given, answer }, builder)
  }

  /** `merge`: value types are merged into what is there, as a merge patch has it. */
  update(
    asked: ParsedRequest,
    body: unknown,
    merge: boolean,
    conditions: WriteConditions | null,
  ): BoundPlan<WritePlan> {
    expectPossibleId(asked)
    const of = concrete(asked)
    const { draft: builder, answer } = this.#begin(asked, of)
    const id = idSlot(asked, builder)
    const set = planInput(withoutId(body, asked, builder), of, 'update', builder, '', merge)
    const given = planConditions(conditions, of, builder)
    return this.#finish({ kind: 'write', action: 'update', of, id, set, ...given, answer }, builder)
  }

  delete(asked: ParsedRequest, conditions: WriteConditions | null): BoundPlan<WritePlan> {
    const { of, id, draft: builder } = this.#beginBare(asked)
    const given = planConditions(conditions, of, builder)
    return this.#finish({ kind: 'write', action: 'delete', of, id, set: [], ...given, answer: [] }, builder)
  }

  /** One link of a many-to-many list: the same update as one that names the whole list, which may be long. */
  link(asked: ParsedRequest, change: 'add' | 'remove', conditions: WriteConditions | null): BoundPlan<WritePlan> {
    const { route, linkedId: far } = asked
    if (route.kind !== 'link') throw new Error(`a ${route.kind} is no link`)
    const { field } = route
    const { of, id, draft: builder } = this.#beginBare(asked)
    const parameter = builder.parameter({ kind: 'field', field, merge: false }, [far], field.name)
    const given = planConditions(conditions, of, builder)
    const answer = this.#nothing.get(of) ?? []
    this.#nothing.set(of, answer)
    const set = [{ field, parameter: parameter, change }]
    return this.#finish({ kind: 'write', action: 'update', of, id, set, ...given, answer }, builder)
  }

  /** Of a write that answers with nothing. */
  #beginBare(asked: ParsedRequest): { of: Resource; id: Parameter; draft: PlanBuilder } {
    expectPossibleId(asked)
    const builder = new PlanBuilder(asked.sight)
    builder.problems.push(...asked.query.problems)
    expectParameters(asked.query, [], builder)
    return { of: concrete(asked), id: idSlot(asked, builder), draft: builder }
  }

  /** A draft that already has the answer's slots. */
  #begin({ query, sight: visibility }: ParsedRequest, of: Resource): { draft: PlanBuilder; answer: Selection[] } {
    const builder = new PlanBuilder(visibility, undefined, this.#limits.transaction)
    builder.problems.push(...query.problems)
    expectParameters(query, ['fields'], builder)
    const choice = query.words.fields === undefined ? of.path : `${of.path}?${query.words.fields}`
    const key = `${visibility.key}\n${choice}`
    const known = this.#representations.get(key)
    if (known !== undefined) {
      builder.requestValues.push(...known.leaves)
      builder.places.push(...known.places)
      return { draft: builder, answer: known.pick }
    }
    const before = builder.problems.length
    const selection = pickRow(of, query.words.fields, builder)
    const sound = builder.problems.length === before
    if (sound)
      this.#representations.set(key, {
        pick: selection,
        leaves: [...builder.requestValues],
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
function planConditions(conditions: WriteConditions | null, of: Resource, builder: PlanBuilder): Conditions {
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
function withoutId(body: unknown, asked: ParsedRequest, builder: PlanBuilder): unknown {
  if (!isRecord(body) || !Object.hasOwn(body, 'id')) return body
  const { id, ...rest } = body
  if (id !== asked.id) builder.problem('id', 'READONLY', `must be "${asked.id}" as in the path, or be left out.`)
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

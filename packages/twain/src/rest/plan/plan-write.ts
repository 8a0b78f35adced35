// POST, PUT, PATCH, DELETE → a Question. What is answered of the written row is planned once for each choice of fields and
// class of viewers, and kept; what is set is of each request.
//
// Slots: those of the answer first, since the answer's picks are shared by requests that set different things; then the id,
// what is set in the order of the body, and the version.

import { Cache, isRecord } from '#base'
import type { Resource, StoredType } from '#model'
import {
  type Batch,
  Draft,
  expectPossibleNewId,
  type Given,
  type Limits,
  type Pick,
  planCreates,
  planInput,
  type Question,
  type Slot,
  type Write,
} from '#plan'
import { expectParameters } from '../request/expect-parameters.ts'
import { expectPossibleId, idSlot } from '../request/ids.ts'
import { type Asked, concrete } from '../request/parsed-request.ts'
import type { WriteConditions } from '../request/preconditions.ts'
import { pickRow } from './fields.ts'

interface Representation {
  pick: Pick[]
  leaves: readonly unknown[]
  places: readonly string[]
}

export class WritePlanner {
  readonly #representations = new Cache<string, Representation>(1000)
  /** What a link answers: one array for each type, by which the store knows what it has compiled. */
  readonly #nothing = new Map<Resource, Pick[]>()
  readonly #limits: Limits

  constructor(limits: Limits) {
    this.#limits = limits
  }

  create(asked: Asked, body: unknown): Question<Write> {
    const { of, draft, answer } = this.#beginCreate(asked)
    const set = planInput(withOwner(body, asked, draft, ''), of, 'create', draft, '', false)
    return this.#finish({ kind: 'write', action: 'create', of, id: null, set, ifVersion: null, answer }, draft)
  }

  /** All rows or none. */
  createAll(asked: Asked, rows: readonly unknown[]): Question<Batch> {
    const { of, draft, answer } = this.#beginCreate(asked)
    const inputs = rows.map((row, index) => withOwner(row, asked, draft, `${index}.`))
    return this.#finish(planCreates(inputs, of, answer, draft, ''), draft)
  }

  #beginCreate(asked: Asked): { of: Resource; draft: Draft; answer: Pick[] } {
    if (asked.route.kind === 'nested') expectPossibleId(asked)
    const of = concrete(asked)
    return { of, ...this.#begin(asked, of) }
  }

  replace(asked: Asked, body: unknown, conditions: WriteConditions | null): Question<Write> {
    const of = concrete(asked)
    const { draft, answer } = this.#begin(asked, of)
    expectPossibleNewId(asked.id, draft)
    const id = idSlot(asked, draft)
    const set = planInput(withoutId(body, asked, draft), of, 'replace', draft, '', false)
    const given = planConditions(conditions, of, draft)
    return this.#finish({ kind: 'write', action: 'replace', of, id, set, ...given, answer }, draft)
  }

  /** `merge`: value types are merged into what is there, as a merge patch has it. */
  update(asked: Asked, body: unknown, merge: boolean, conditions: WriteConditions | null): Question<Write> {
    expectPossibleId(asked)
    const of = concrete(asked)
    const { draft, answer } = this.#begin(asked, of)
    const id = idSlot(asked, draft)
    const set = planInput(withoutId(body, asked, draft), of, 'update', draft, '', merge)
    const given = planConditions(conditions, of, draft)
    return this.#finish({ kind: 'write', action: 'update', of, id, set, ...given, answer }, draft)
  }

  delete(asked: Asked, conditions: WriteConditions | null): Question<Write> {
    const { of, id, draft } = this.#beginBare(asked)
    const given = planConditions(conditions, of, draft)
    return this.#finish({ kind: 'write', action: 'delete', of, id, set: [], ...given, answer: [] }, draft)
  }

  /** One link of a many-to-many list: the same update as one that names the whole list, which may be long. */
  link(asked: Asked, change: 'add' | 'remove', conditions: WriteConditions | null): Question<Write> {
    const { route, far } = asked
    if (route.kind !== 'link') throw new Error(`a ${route.kind} is no link`)
    const { field } = route
    const { of, id, draft } = this.#beginBare(asked)
    const slot = draft.slot({ kind: 'field', field, merge: false }, [far], field.name)
    const given = planConditions(conditions, of, draft)
    const answer = this.#nothing.get(of) ?? []
    this.#nothing.set(of, answer)
    const set = [{ field, slot, change }]
    return this.#finish({ kind: 'write', action: 'update', of, id, set, ...given, answer }, draft)
  }

  /** Of a write that answers with nothing. */
  #beginBare(asked: Asked): { of: Resource; id: Slot; draft: Draft } {
    expectPossibleId(asked)
    const draft = new Draft(asked.sight)
    draft.problems.push(...asked.query.problems)
    expectParameters(asked.query, [], draft)
    return { of: concrete(asked), id: idSlot(asked, draft), draft }
  }

  /** A draft that already has the answer's slots. */
  #begin({ query, sight }: Asked, of: Resource): { draft: Draft; answer: Pick[] } {
    const draft = new Draft(sight, undefined, this.#limits.transaction)
    draft.problems.push(...query.problems)
    expectParameters(query, ['fields'], draft)
    const choice = query.words.fields === undefined ? of.path : `${of.path}?${query.words.fields}`
    const key = `${sight.key}\n${choice}`
    const known = this.#representations.get(key)
    if (known !== undefined) {
      draft.leaves.push(...known.leaves)
      draft.places.push(...known.places)
      return { draft, answer: known.pick }
    }
    const before = draft.problems.length
    const pick = pickRow(of, query.words.fields, draft)
    const sound = draft.problems.length === before
    if (sound) this.#representations.set(key, { pick, leaves: [...draft.leaves], places: [...draft.places] })
    return { draft, answer: pick }
  }

  #finish<P extends Write | Batch>(plan: P, draft: Draft): Question<P> {
    draft.finish(this.#limits)
    return { plan, values: draft.values(), places: draft.places }
  }
}

type Conditions = { ifVersion: Slot | null; given?: Given }

const intType: StoredType = { kind: 'scalar', name: 'Int' }

/** One version is what GraphQL's `ifVersion` is; there is no word for the others there. */
function planConditions(conditions: WriteConditions | null, of: Resource, draft: Draft): Conditions {
  if (conditions === null) return { ifVersion: null }
  const { presence, versions, otherVersions, unmodifiedSince } = conditions
  const [only, ...more] = versions ?? []
  const ifVersion = only === undefined || more.length > 0 ? null : draft.slot({ kind: 'version' }, only, 'If-Match')
  const given: Given = {
    ...(presence === null ? {} : { presence }),
    ...(more.length === 0 ? {} : { versions: draft.slot({ kind: 'types', type: intType }, versions, 'If-Match') }),
    ...(otherVersions === null
      ? {}
      : { otherVersions: draft.slot({ kind: 'types', type: intType }, otherVersions, 'If-None-Match') }),
    ...planUnmodified(unmodifiedSince, of, draft),
  }
  return Object.keys(given).length === 0 ? { ifVersion } : { ifVersion, given }
}

/** A row without such a time, or whose time may not be seen, has none to compare (RFC 9110, 13.1.4). */
function planUnmodified(
  time: number | null,
  of: Resource,
  draft: Draft,
): { unmodified?: NonNullable<Given['unmodified']> } {
  const by = [...of.fields.values()].find((field) => field.kind === 'stored' && field.auto === 'UPDATE_TIME')
  if (time === null || by?.kind !== 'stored' || draft.sight.mayMiss(by)) return {}
  const type: StoredType = { kind: 'scalar', name: 'DateTime' }
  const since = draft.slot({ kind: 'type', type }, new Date(time).toISOString(), 'If-Unmodified-Since')
  return { unmodified: { by, since } }
}

/** The id in a body must be the one of the path; it says nothing new then (R44). */
function withoutId(body: unknown, asked: Asked, draft: Draft): unknown {
  if (!isRecord(body) || !Object.hasOwn(body, 'id')) return body
  const { id, ...rest } = body
  if (id !== asked.id) draft.problem('id', 'READONLY', `must be "${asked.id}" as in the path, or be left out.`)
  return rest
}

/** A row made in `/users/{id}/posts` refers to that user; a body that says another is a mistake (R45). */
function withOwner(body: unknown, { route, id }: Asked, draft: Draft, place: string): unknown {
  if (route.kind !== 'nested' || route.field.kind !== 'many' || !isRecord(body)) return body
  const { via, owner } = route.field
  const typed = `${owner.name}:${id}`
  const said = Object.hasOwn(body, via.name) ? body[via.name] : undefined
  if (said !== undefined && said !== id && !(via.to.kind === 'abstract' && said === typed)) {
    draft.problem(`${place}${via.name}`, 'READONLY', `must be "${id}" as in the path, or be left out.`)
  }
  return { ...body, [via.name]: via.to.kind === 'abstract' ? typed : id }
}

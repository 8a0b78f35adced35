// POST, PUT, PATCH, DELETE → a Question. What is answered of the written row is planned once for each choice of fields and
// class of viewers, and kept; what is set is of each request.
//
// Slots: those of the answer first, since the answer's picks are shared by requests that set different things; then the id,
// what is set in the order of the body, and the version.

import { Cache } from '#base'
import type { Resource } from '#model'
import {
  Draft,
  expectPossibleNewId,
  type Limits,
  type Pick,
  planInput,
  type Question,
  type SetField,
  type Slot,
  type Write,
} from '#plan'
import type { Asked } from './asked.ts'
import { expectParameters } from './expect-parameters.ts'
import { pickRow } from './fields.ts'
import { expectPossibleId, idSlot } from './ids.ts'

interface Representation {
  pick: Pick[]
  leaves: readonly unknown[]
  places: readonly string[]
}

export class WritePlanner {
  readonly #representations = new Cache<string, Representation>(1000)
  readonly #limits: Limits

  constructor(limits: Limits) {
    this.#limits = limits
  }

  create(asked: Asked, body: unknown): Question<Write> {
    const { route } = asked
    if (route.kind === 'nested') expectPossibleId(asked)
    const of = concrete(asked)
    const { draft, answer } = this.#begin(asked, of)
    const input = route.kind === 'nested' ? withOwner(body, asked, draft) : body
    const set = planInput(input, of, 'create', draft, '', false)
    return this.#finish({ kind: 'write', action: 'create', of, id: null, set, ifVersion: null, answer }, draft)
  }

  replace(asked: Asked, body: unknown, version: number | null): Question<Write> {
    const of = concrete(asked)
    const { draft, answer } = this.#begin(asked, of)
    expectPossibleNewId(asked.id, draft)
    const id = idSlot(asked, draft)
    const set = planInput(withoutId(body, asked, draft), of, 'replace', draft, '', false)
    const ifVersion = versionSlot(version, draft)
    return this.#finish({ kind: 'write', action: 'replace', of, id, set, ifVersion, answer }, draft)
  }

  update(asked: Asked, body: unknown, version: number | null): Question<Write> {
    expectPossibleId(asked)
    const of = concrete(asked)
    const { draft, answer } = this.#begin(asked, of)
    const id = idSlot(asked, draft)
    const set = planInput(withoutId(body, asked, draft), of, 'update', draft, '', true)
    const ifVersion = versionSlot(version, draft)
    return this.#finish({ kind: 'write', action: 'update', of, id, set, ifVersion, answer }, draft)
  }

  delete(asked: Asked, version: number | null): Question<Write> {
    expectPossibleId(asked)
    const of = concrete(asked)
    const draft = new Draft(asked.sight)
    draft.problems.push(...asked.query.problems)
    expectParameters(asked.query, [], draft)
    const id = idSlot(asked, draft)
    const set: SetField[] = []
    return this.#finish(
      { kind: 'write', action: 'delete', of, id, set, ifVersion: versionSlot(version, draft), answer: [] },
      draft,
    )
  }

  /** A draft that already has the answer's slots. */
  #begin({ query, sight }: Asked, of: Resource): { draft: Draft; answer: Pick[] } {
    const draft = new Draft(sight)
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

  #finish(plan: Write, draft: Draft): Question<Write> {
    draft.finish(this.#limits)
    return { plan, values: draft.values(), places: draft.places }
  }
}

/** Only collections of resources take writes (route.ts), and the target of a to-many is one. */
function concrete({ route }: Asked): Resource {
  if (route.of.kind !== 'resource') throw new Error(`${route.of.name} can not be written to`)
  return route.of
}

function versionSlot(version: number | null, draft: Draft): Slot | null {
  return version === null ? null : draft.slot({ kind: 'version' }, version, 'If-Match')
}

/** The id in a body must be the one of the path; it says nothing new then (R44). */
function withoutId(body: unknown, asked: Asked, draft: Draft): unknown {
  if (!isRecord(body) || !Object.hasOwn(body, 'id')) return body
  const { id, ...rest } = body
  if (id !== asked.id) draft.problem('id', 'READONLY', `must be "${asked.id}" as in the path, or be left out.`)
  return rest
}

/** A row made in `/users/{id}/posts` refers to that user; a body that says another is a mistake (R45). */
function withOwner(body: unknown, { route, id }: Asked, draft: Draft): unknown {
  if (route.kind !== 'nested' || route.field.kind !== 'many' || !isRecord(body)) return body
  const { via, owner } = route.field
  const typed = `${owner.name}:${id}`
  const said = Object.hasOwn(body, via.name) ? body[via.name] : undefined
  if (said !== undefined && said !== id && !(via.to.kind === 'abstract' && said === typed)) {
    draft.problem(via.name, 'READONLY', `must be "${id}" as in the path, or be left out.`)
  }
  return { ...body, [via.name]: via.to.kind === 'abstract' ? typed : id }
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

// The cache policy of a read (`@cacheControl`, Apollo's convention): the shortest age of everything in it. A row or a page has
// the age of the field that leads to it, or of its type, or else 0. A field inside a row has the age of the row, or a shorter
// one of its own.
//
// A result that depends on the viewer is never public, whatever the schema file declares.

import { unreachable } from '#base'
import {
  type Abstract,
  type AnyField,
  type CacheHint,
  isReadRestricted,
  type Model,
  type Resource,
  type StoredType,
  type ValueField,
} from '#model'
import { isForAll, isUnrestricted } from './authorize/viewer-class.ts'
import type {
  CustomCall,
  CustomResult,
  GroupedField,
  GroupRead,
  OrderKey,
  PageRead,
  ReadPlan,
  Selection,
  TypeSelection,
  ValueSelection,
} from './plan.ts'
import { groupedFields, rowsOf } from './visit-plan.ts'

export interface CachePolicy {
  /** In seconds. */
  maxAge: number
  isPublic: boolean
}

export class CachePolicies {
  readonly #model: Model
  readonly #policies = new WeakMap<ReadPlan | CustomCall, CachePolicy>()

  constructor(model: Model) {
    this.#model = model
  }

  of(plan: ReadPlan | CustomCall): CachePolicy {
    const known = this.#policies.get(plan)
    if (known !== undefined) return known
    const policy = new PolicyWalk(this.#model).policy(plan)
    this.#policies.set(plan, policy)
    return policy
  }
}

/** The value of the `Cache-Control` header. */
export function printCacheControl({ maxAge, isPublic }: CachePolicy): string {
  return `${isPublic ? 'public' : 'private'}, max-age=${maxAge}`
}

const noMaxAge = Number.MAX_SAFE_INTEGER

class PolicyWalk {
  readonly #model: Model
  readonly #isOpen: boolean
  #maxAge = noMaxAge
  #isPublic = true

  constructor(model: Model) {
    this.#model = model
    this.#isOpen = isUnrestricted(model)
  }

  policy(plan: ReadPlan | CustomCall): CachePolicy {
    if (plan.kind === 'one') {
      this.#row(plan.of, undefined)
      for (const selection of plan.selections) this.#selection(selection)
    } else if (plan.kind === 'call') {
      if (!isForAll(plan.operation, this.#model)) this.#isPublic = false
      this.#customResult(plan.operation.cache, plan.result)
    } else if (plan.kind === 'groups') {
      this.#groups(plan, undefined)
    } else {
      this.#page(plan, undefined)
    }
    const maxAge = this.#maxAge === noMaxAge ? 0 : this.#maxAge
    return { maxAge, isPublic: this.#isPublic && maxAge > 0 }
  }

  /** A row or a page, reached by a field with this hint, or by the root. */
  #row(of: Resource | Abstract, by: CacheHint | undefined): void {
    this.#apply({ maxAge: by?.maxAge ?? of.cache?.maxAge ?? 0, scope: null })
    for (const hint of [by, of.cache]) if (hint?.scope === 'PRIVATE') this.#isPublic = false
    if (!this.#isOpen && !isReadByAll(of)) this.#isPublic = false
  }

  #page(read: PageRead, by: CacheHint | undefined): void {
    this.#rows(read, by)
    if (read.deleted !== undefined && !this.#isOpen) this.#isPublic = false
    for (const key of read.order) this.#orderKey(key)
    this.#values(read.distinct ?? [])
    this.#types(rowsOf(read.shape))
  }

  #groups(read: GroupRead, by: CacheHint | undefined): void {
    this.#rows(read, by)
    this.#values(groupedFields(read))
  }

  /** What rows are grouped or told apart by. */
  #values(fields: readonly GroupedField[]): void {
    for (const { through, field } of fields) {
      for (const step of through) {
        this.#checkRules(step.field)
        this.#row(step.field.to, step.field.cache)
      }
      this.#checkRules(field)
      this.#apply(field.cache)
    }
  }

  #rows({ of, within, where }: Pick<PageRead, 'of' | 'within' | 'where'>, by: CacheHint | undefined): void {
    this.#row(of, by)
    // A filter may name fields that not everyone can read. It is not worth finding out which.
    if (!this.#isOpen && where !== null) this.#isPublic = false
    if (within === null) return
    this.#checkRules(within.field)
    if (!this.#isOpen && !isReadByAll(within.field.owner)) this.#isPublic = false
  }

  /** A key behind a path depends on rows that not everyone may read, and on how long they hold. */
  #orderKey(key: OrderKey): void {
    if (key.kind === 'type') return
    this.#checkRules(key.field)
    if (key.kind === 'field') return
    const steps = [...key.path.map(({ field }) => field), ...(key.kind === 'count' ? [key.field] : [])]
    for (const field of steps) {
      this.#checkRules(field)
      if (!this.#isOpen && !isReadByAll(field.to)) this.#isPublic = false
      this.#row(field.to, field.cache)
    }
  }

  #types(types: readonly TypeSelection[]): void {
    for (const { selections } of types) for (const one of selections) this.#selection(one)
  }

  #selection(selection: Selection): void {
    if (selection.kind === 'constant' || selection.kind === 'version' || selection.kind === 'globalId') return
    if (selection.kind === 'url') {
      if (!this.#isOpen) this.#apply({ maxAge: 0, scope: null }) // its signature expires
      return
    }
    if (selection.kind === 'changes') {
      this.#apply({ maxAge: 0, scope: 'PRIVATE' }) // who made a change is not for everyone
      return
    }
    this.#checkRules(selection.field)
    switch (selection.kind) {
      case 'field':
        this.#apply(selection.field.cache)
        return
      case 'value':
        this.#apply(selection.field.cache)
        this.#value(selection.field.type, selection.selections)
        return
      case 'id':
        this.#apply(selection.field.cache)
        if (!this.#isOpen && !isReadByAll(selection.field.to)) this.#isPublic = false
        return
      case 'transitions': // they depend on the viewer
        this.#isPublic = false
        return
      case 'one':
        this.#row(selection.field.to, selection.field.cache)
        this.#types(selection.types)
        return
      case 'many':
        this.#page(selection.read, selection.field.cache)
        return
      case 'groups':
        this.#groups(selection.read, selection.field.cache)
        return
      case 'computed':
        this.#customResult(selection.field.cache, selection.result)
        return
      default:
        unreachable(selection)
    }
  }

  /** Code may return another value each time, and for each viewer: only its author knows how long a value holds. */
  #customResult(cache: CacheHint | undefined, result: CustomResult): void {
    this.#apply(cache ?? { maxAge: 0, scope: 'PRIVATE' })
    if (cache?.scope !== 'PUBLIC') this.#isPublic = false
    if (result.kind === 'rows') this.#page({ ...result.read, where: null }, cache) // the code chooses the rows
  }

  #value(type: StoredType, selections: readonly ValueSelection[]): void {
    if (type.kind === 'list') this.#value(type.of, selections)
    if (type.kind !== 'value') return
    this.#apply(type.value.cache)
    for (const selection of selections)
      if (selection.kind === 'field') this.#valueField(selection.field, selection.selections)
  }

  #valueField(field: ValueField, inside: readonly ValueSelection[] | null): void {
    this.#apply(field.cache)
    if (inside !== null) this.#value(field.type, inside)
  }

  #apply(hint: CacheHint | undefined): void {
    if (hint === undefined) return
    if (hint.maxAge !== null) this.#maxAge = Math.min(this.#maxAge, hint.maxAge)
    if (hint.scope === 'PRIVATE') this.#isPublic = false
  }

  #checkRules(field: AnyField): void {
    if (isReadRestricted(field)) this.#isPublic = false
  }
}

/** Whether a rule allows everyone to read all rows of the type, or of each member of the abstract. */
function isReadByAll(of: Resource | Abstract): boolean {
  if (of.kind === 'abstract') return of.members.every(isReadByAll)
  return of.rules.some(
    ({ who, role, verified, to, where }) =>
      who.kind === 'anyone' && role === null && !verified && where === null && to.includes('READ'),
  )
}

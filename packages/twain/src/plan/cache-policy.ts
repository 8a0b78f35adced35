// How long the answer to a read may be kept, and by whom (`@cacheControl`, Apollo's convention): the least of all ages in it.
// A page, a row, and a row that is referred to have the age of their type, or of the field that leads there; without one,
// none. What stands inside a row has the row's, unless it says less.
//
// What depends on who asks is never for everyone, whatever the file says.

import type { Abstract, AnyField, CacheHint, Model, Resource, StoredType, ValueField } from '#model'
import { isUnrestricted } from './authorize/viewer-class.ts'
import type {
  ConnectionSelection,
  CustomCall,
  CustomResult,
  PageRead,
  ReadPlan,
  Selection,
  TypeSelection,
  ValueSelection,
} from './plan.ts'

export interface CachePolicy {
  /** In seconds. */
  maxAge: number
  isPublic: boolean
}

export class CachePolicies {
  readonly #isOpen: boolean
  readonly #known = new WeakMap<ReadPlan | CustomCall, CachePolicy>()

  constructor(model: Model) {
    this.#isOpen = isUnrestricted(model)
  }

  of(asked: ReadPlan | CustomCall): CachePolicy {
    const known = this.#known.get(asked)
    if (known !== undefined) return known
    const made = new PolicyWalk(this.#isOpen).policy(asked)
    this.#known.set(asked, made)
    return made
  }
}

/** As `Cache-Control` has it. */
export function printCacheControl({ maxAge, isPublic }: CachePolicy): string {
  return `${isPublic ? 'public' : 'private'}, max-age=${maxAge}`
}

const noMaxAge = Number.MAX_SAFE_INTEGER

class PolicyWalk {
  readonly #isOpen: boolean
  #maxAge = noMaxAge
  #isPublic = true

  constructor(isOpen: boolean) {
    this.#isOpen = isOpen
  }

  policy(asked: ReadPlan | CustomCall): CachePolicy {
    if (asked.kind === 'one') {
      this.#row(asked.of, undefined)
      for (const selection of asked.selections) this.#pick(selection)
    } else if (asked.kind === 'call') {
      this.#own(asked.operation.cache, asked.result)
    } else {
      this.#page(asked, undefined)
    }
    const maxAge = this.#maxAge === noMaxAge ? 0 : this.#maxAge
    return { maxAge, isPublic: this.#isPublic && maxAge > 0 }
  }

  /** A row, or rows, that were reached: by this field, or by the root. */
  #row(of: Resource | Abstract, by: CacheHint | undefined): void {
    this.#take({ maxAge: by?.maxAge ?? of.cache?.maxAge ?? 0, scope: null })
    for (const hint of [by, of.cache]) if (hint?.scope === 'PRIVATE') this.#isPublic = false
    if (!this.#isOpen && !isReadByAll(of)) this.#isPublic = false
  }

  #page({ of, within, where, order, shape }: PageRead, by: CacheHint | undefined): void {
    this.#row(of, by)
    // A filter may ask for what not everyone sees; which ones do is not worth the looking.
    if (!this.#isOpen && where !== null) this.#isPublic = false
    for (const key of order) if (key.kind === 'field') this.#seen(key.field)
    if (within !== null) {
      this.#seen(within.field)
      if (!this.#isOpen && !isReadByAll(within.field.owner)) this.#isPublic = false
    }
    if (shape.kind === 'list') this.#cases(shape.types)
    else for (const selection of shape.selections) this.#connectionPick(selection)
  }

  #connectionPick(selection: ConnectionSelection): void {
    if (selection.kind !== 'edges') return
    for (const edge of selection.selections) if (edge.kind === 'node') this.#cases(edge.types)
  }

  #cases(cases: readonly TypeSelection[]): void {
    for (const { selections } of cases) for (const one of selections) this.#pick(one)
  }

  #pick(selection: Selection): void {
    if (selection.kind === 'constant' || selection.kind === 'version') return
    if (selection.kind === 'url') {
      if (!this.#isOpen) this.#take({ maxAge: 0, scope: null }) // its signature is good for a while only
      return
    }
    this.#seen(selection.field)
    switch (selection.kind) {
      case 'field':
        this.#take(selection.field.cache)
        return
      case 'value':
        this.#take(selection.field.cache)
        this.#value(selection.field.type, selection.selections)
        return
      case 'id':
        this.#take(selection.field.cache)
        if (!this.#isOpen && !isReadByAll(selection.field.to)) this.#isPublic = false
        return
      case 'transitions': // they are the viewer's own
        this.#isPublic = false
        return
      case 'one':
        this.#row(selection.field.to, selection.field.cache)
        this.#cases(selection.types)
        return
      case 'many':
        this.#page(selection.read, selection.field.cache)
        return
      case 'computed':
        this.#own(selection.field.cache, selection.result)
    }
  }

  /** Code may say something else each time, and to each viewer: only who writes it knows for how long it holds. */
  #own(cache: CacheHint | undefined, result: CustomResult): void {
    this.#take(cache ?? { maxAge: 0, scope: 'PRIVATE' })
    if (cache?.scope !== 'PUBLIC') this.#isPublic = false
    if (result.kind === 'rows') this.#page({ ...result.read, where: null }, cache) // which rows, the code says
  }

  #value(type: StoredType, selections: readonly ValueSelection[]): void {
    if (type.kind === 'list') this.#value(type.of, selections)
    if (type.kind !== 'value') return
    this.#take(type.value.cache)
    for (const selection of selections)
      if (selection.kind === 'field') this.#valueField(selection.field, selection.selections)
  }

  #valueField(field: ValueField, inside: readonly ValueSelection[] | null): void {
    this.#take(field.cache)
    if (inside !== null) this.#value(field.type, inside)
  }

  #take(hint: CacheHint | undefined): void {
    if (hint === undefined) return
    if (hint.maxAge !== null) this.#maxAge = Math.min(this.#maxAge, hint.maxAge)
    if (hint.scope === 'PRIVATE') this.#isPublic = false
  }

  #seen({ rules }: AnyField): void {
    if (rules.some(({ to }) => to.includes('READ'))) this.#isPublic = false
  }
}

/** Whether a line gives all rows of the type, or of each type that it stands for, to everyone. */
function isReadByAll(of: Resource | Abstract): boolean {
  if (of.kind === 'abstract') return of.members.every(isReadByAll)
  return of.rules.some(
    ({ who, role, to, where }) => who.kind === 'anyone' && role === null && where === null && to.includes('READ'),
  )
}

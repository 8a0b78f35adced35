// Computes the expected answers over rows in memory. It is written from the documentation alone, slow and obvious, and shares no code
// and no type with the server, so that a bug of the one is not a bug of the other.

import { compareNullsLast, testLeaf, testList, testWords, type Where } from './oracle-values.ts'

export type { Where } from './oracle-values.ts'

export interface SchemaSketch {
  enums: { name: string; values: string[] }[]
  values: ValueSketch[]
  types: TypeSketch[]
  /** An interface that all types implement, with its fields. */
  common: TypeSketch | null
}

export interface TypeSketch {
  name: string
  /** Both the REST path and the name of the GraphQL list: these names need no kebab-case. */
  list: string
  /** Without the id. */
  fields: FieldSketch[]
}

export interface ValueSketch {
  name: string
  fields: { name: string; type: string; required: boolean }[]
}

export type FieldSketch =
  | { kind: 'scalar'; name: string; type: string; required: boolean; search?: boolean }
  | { kind: 'list'; name: string; type: string; required: boolean }
  | { kind: 'value'; name: string; type: string; required: boolean }
  | { kind: 'reference'; name: string; to: string; required: boolean }
  | { kind: 'many'; name: string; to: string; via: string }
  | { kind: 'links'; name: string; to: string; back: string | null }

export type Row = { id: string } & Record<string, unknown>
/** One key: `{name: 'ASC'}`, `{author: {name: 'ASC'}}`, `{posts: {count: 'DESC'}}`. */
export type Order = { [key: string]: 'ASC' | 'DESC' | Order }

/** The names on the way to the direction. */
export function orderPath(order: Order): { path: string[]; direction: 'ASC' | 'DESC' } {
  const [name, inner] = Object.entries(order)[0]!
  if (typeof inner === 'string') return { path: [name], direction: inner }
  const { path, direction } = orderPath(inner)
  return { path: [name, ...path], direction }
}

export class Oracle {
  readonly sketch: SchemaSketch
  readonly #rows = new Map<string, Map<string, Row>>()

  constructor(sketch: SchemaSketch) {
    this.sketch = sketch
    for (const type of sketch.types) this.#rows.set(type.name, new Map())
  }

  /** Stores a new or updated row. Links are lists of ids on both sides. */
  put(type: string, row: Row): void {
    this.#rows.get(type)!.set(row.id, row)
    for (const field of this.type(type).fields) {
      if (field.kind !== 'links' || field.back === null) continue
      const linked = row[field.name] as string[]
      for (const other of this.rows(field.to)) {
        const rest = (other[field.back] as string[]).filter((id) => id !== row.id)
        other[field.back] = linked.includes(other.id) ? [...rest, row.id] : rest
      }
    }
  }

  /** False, without a change, when a required reference points at the row; optional references become null, links are removed. */
  remove(type: string, id: string): boolean {
    const pointers = this.sketch.types.flatMap((from) =>
      from.fields.flatMap((field) => {
        if (field.kind !== 'reference' || !this.#mayBe(field.to, type)) return []
        return this.rows(from.name)
          .filter((row) => row[field.name] === id && !(from.name === type && row.id === id))
          .map((row) => ({ row, field }))
      }),
    )
    if (pointers.some(({ field }) => field.required)) return false
    for (const { row, field } of pointers) row[field.name] = null
    for (const from of this.sketch.types) {
      for (const field of from.fields) {
        if (field.kind !== 'links' || !this.#mayBe(field.to, type)) continue
        for (const row of this.rows(from.name))
          row[field.name] = (row[field.name] as string[]).filter((to) => to !== id)
      }
    }
    this.#rows.get(type)!.delete(id)
    return true
  }

  rows(type: string): Row[] {
    if (type !== this.sketch.common?.name) return [...this.#rows.get(type)!.values()]
    return this.sketch.types.flatMap(({ name }) => this.rows(name))
  }

  row(type: string, id: string): Row | undefined {
    return this.rows(type).find((row) => row.id === id)
  }

  /** The type of the row with this id; ids are unique in the whole service. */
  typeOf(id: string): string {
    return this.sketch.types.find(({ name }) => this.#rows.get(name)!.has(id))!.name
  }

  type(name: string): TypeSketch {
    return this.collections.find((type) => type.name === name)!
  }

  /** Everything with a list: the types, and the interface. */
  get collections(): TypeSketch[] {
    const { types, common } = this.sketch
    return common === null ? types : [...types, common]
  }

  /** Whether a type has searched fields. */
  isSearchable(type: string): boolean {
    if (type === this.sketch.common?.name) return this.sketch.types.some(({ name }) => this.isSearchable(name))
    return this.type(type).fields.some(isSearched)
  }

  /** All rows that match the filter and the search, in order. */
  find(type: string, where: Where | null, order: Order[], search: string | null = null): Row[] {
    return this.arrange(type, this.#found(this.rows(type), search), where, order)
  }

  #found(rows: Row[], search: string | null): Row[] {
    if (search === null) return rows
    return rows.filter((row) => {
      const { fields } = this.sketch.types.find(({ name }) => this.#rows.get(name)!.get(row.id) === row)!
      return testWords(
        fields.filter(isSearched).map(({ name }) => row[name] as string | null),
        search,
      )
    })
  }

  /** The rows of a to-many field of one row, filtered and in order. */
  below(
    type: string,
    row: Row,
    field: string,
    where: Where | null,
    order: Order[],
    search: string | null = null,
  ): Row[] {
    const sketch = this.type(type).fields.find(({ name }) => name === field)!
    return this.arrange(this.#target(sketch), this.#found(this.#many(row, sketch), search), where, order)
  }

  arrange(type: string, rows: Row[], where: Where | null, order: Order[]): Row[] {
    const matching = where === null ? rows : rows.filter((row) => this.matches(type, row, where))
    return matching.toSorted((a, b) => this.#compareRows(type, a, b, order))
  }

  matches(type: string, row: Row, where: Where): boolean {
    return Object.entries(where).every(([key, part]) => {
      if (key === 'and') return (part as Where[]).every((each) => this.matches(type, row, each))
      if (key === 'or') return (part as Where[]).some((each) => this.matches(type, row, each))
      if (key === 'not') return !this.matches(type, row, part as Where)
      if (key === 'id') return testLeaf('ID', row.id, part as Where)
      if (key === '_type') return testLeaf('String', this.typeOf(row.id), part as Where)
      if (this.#isType(key)) return this.typeOf(row.id) === key && this.matches(key, row, part as Where)
      const field = this.type(type).fields.find(({ name }) => name === key)!
      return this.#matchesField(field, row, part as Where)
    })
  }

  #isType(name: string): boolean {
    return this.sketch.types.some((type) => type.name === name)
  }

  #mayBe(target: string, type: string): boolean {
    return target === type || target === this.sketch.common?.name
  }

  #matchesField(field: FieldSketch, row: Row, part: Where): boolean {
    switch (field.kind) {
      case 'scalar':
        return testLeaf(this.#orderOf(field.type), row[field.name], part)
      case 'list':
        return testList(this.#orderOf(field.type), row[field.name] as unknown[] | null, part)
      case 'value':
        return this.#matchesValue(field.type, row[field.name] as Where | null, part)
      case 'reference': {
        const { isNull, ...rest } = part
        const target = row[field.name] === null ? undefined : this.row(field.to, row[field.name] as string)
        if (isNull !== undefined && isNull !== (target === undefined)) return false
        if (Object.keys(rest).length === 0) return true
        return target !== undefined && this.matches(field.to, target, rest)
      }
      case 'many':
      case 'links': {
        const rows = this.#many(row, field)
        const { some, none, every } = part as { some?: Where; none?: Where; every?: Where }
        const holds = (inner: Where) => rows.some((each) => this.matches(this.#target(field), each, inner))
        const isRefuted = every !== undefined && rows.some((each) => !this.matches(this.#target(field), each, every))
        return (some === undefined || holds(some)) && (none === undefined || !holds(none)) && !isRefuted
      }
    }
  }

  #matchesValue(type: string, value: Where | null, part: Where): boolean {
    const sketch = this.sketch.values.find(({ name }) => name === type)!
    return Object.entries(part).every(([key, inner]) => {
      if (key === 'isNull') return inner === (value === null)
      const field = sketch.fields.find(({ name }) => name === key)!
      return testLeaf(this.#orderOf(field.type), value === null ? null : value[key], inner as Where)
    })
  }

  #many(row: Row, field: FieldSketch): Row[] {
    if (field.kind === 'many') return this.rows(field.to).filter((other) => other[field.via] === row.id)
    if (field.kind === 'links') return (row[field.name] as string[]).map((id) => this.row(field.to, id)!)
    throw new Error(`${field.name} is no list`)
  }

  #target(field: FieldSketch): string {
    if (field.kind === 'many' || field.kind === 'links') return field.to
    throw new Error(`${field.name} is no list`)
  }

  #compareRows(type: string, a: Row, b: Row, order: Order[]): number {
    let direction: 'ASC' | 'DESC' = 'ASC'
    for (const key of order) {
      const { path, direction: towards } = orderPath(key)
      direction = towards
      const result = compareNullsLast(
        this.#kindAt(type, path),
        this.#valueAt(type, a, path),
        this.#valueAt(type, b, path),
        direction,
      )
      if (result !== 0) return result
    }
    return compareNullsLast('ID', a.id, b.id, direction)
  }

  #valueAt(type: string, row: Row, [name, ...rest]: string[]): unknown {
    const field = this.type(type).fields.find((each) => each.name === name)
    if (rest.length === 0 || field === undefined) return row[name!]
    if (field.kind !== 'reference') return this.#many(row, field).length
    const target = row[field.name] === null ? undefined : this.row(field.to, row[field.name] as string)
    return target === undefined ? null : this.#valueAt(field.to, target, rest)
  }

  #kindAt(type: string, [name, ...rest]: string[]): string {
    const field = this.type(type).fields.find((each) => each.name === name)
    if (field?.kind === 'reference') return this.#kindAt(field.to, rest)
    if (field?.kind === 'many' || field?.kind === 'links') return 'Int'
    return field?.kind === 'scalar' ? this.#orderOf(field.type) : 'ID'
  }

  /** Enums sort by their names. */
  #orderOf(type: string): string {
    return this.sketch.enums.some(({ name }) => name === type) ? 'enum' : type
  }
}

function isSearched(field: FieldSketch): boolean {
  return field.kind === 'scalar' && field.search === true
}

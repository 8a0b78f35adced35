// The rows of a schema in memory: what the store must have.

import type { Abstract, Field, Model, Resource } from '../../packages/twain/src/model/index.ts'

/** References are ids, links are lists of ids on both sides; fields without a column are computed. */
export type Row = { id: string } & Record<string, unknown>
export interface PlacedRow {
  of: Resource
  row: Row
}

/** Ids are unique over all types, so that a reference to any of several types is an id too. */
export type Rows = readonly (readonly [type: string, row: Row])[]

/** The rows of views, computed from the others as their SELECTs do. */
export type ViewRows = Readonly<Record<string, (world: RowsInMemory) => Row[]>>

export class RowsInMemory {
  readonly model: Model
  readonly #views: ViewRows
  readonly #tables = new Map<string, Map<string, Row>>()

  constructor(model: Model, rows: Rows, views: ViewRows = {}) {
    this.model = model
    this.#views = views
    for (const { name } of model.resources) this.#tables.set(name, new Map())
    for (const [type, row] of rows) this.put(this.resource(type), row)
  }

  copy(): RowsInMemory {
    return new RowsInMemory(
      this.model,
      this.model.resources.flatMap((of) => this.spots(of).map(({ row }) => [of.name, { ...row }] as const)),
      this.#views,
    )
  }

  resource(name: string): Resource {
    const found = this.model.resources.find((each) => each.name === name)
    if (found === undefined) throw new Error(`no type ${name}`)
    return found
  }

  /** Stores a row, with null for omitted fields, and updates the other side of its links. */
  put(of: Resource, input: Row): void {
    const row: Row = { ...input }
    for (const field of of.fields.values()) {
      if (field.kind === 'stored' || field.kind === 'reference') row[field.name] ??= null
      if (field.kind === 'reference') row[field.name] = withoutType(row[field.name])
      if (field.kind !== 'links') continue
      const linked = (input[field.name] as string[] | undefined) ?? this.#linked(of, input.id, field.name)
      row[field.name] = linked.toSorted()
      const back = field.side === 'left' ? field.link.right : field.link.left
      if (back === null) continue
      for (const other of this.spots(back.owner)) {
        const rest = ((other.row[back.name] as string[] | undefined) ?? []).filter((id) => id !== row.id)
        other.row[back.name] = linked.includes(other.row.id) ? [...rest, row.id].toSorted() : rest
      }
    }
    this.#tables.get(of.name)!.set(row.id, row)
  }

  remove(of: Resource, id: string): void {
    this.#tables.get(of.name)!.delete(id)
    for (const each of this.model.resources) {
      for (const field of each.fields.values()) {
        if (field.kind !== 'links' || !mayBe(field.to, of)) continue
        for (const { row } of this.spots(each))
          row[field.name] = (row[field.name] as string[]).filter((linked) => linked !== id)
      }
    }
  }

  spots(of: Resource | Abstract): PlacedRow[] {
    if (of.kind === 'abstract') return of.members.flatMap((member) => this.spots(member))
    return this.#rowsOf(of).map((row) => ({ of, row }))
  }

  find(of: Resource | Abstract, id: unknown): PlacedRow | undefined {
    const types = of.kind === 'abstract' ? of.members : [of]
    return types
      .map((type) => ({ of: type, row: this.#rowsOf(type).find((row) => row.id === withoutType(id)) }))
      .find((spot): spot is PlacedRow => spot.row !== undefined)
  }

  /** The targets of a field. Lists are those of the stored rows, whatever the row itself has: a row that is about to be written cannot
   *  grant access to itself. */
  follow(field: Field, row: Row): PlacedRow[] {
    switch (field.kind) {
      case 'stored':
        return []
      case 'reference': {
        const spot = row[field.name] === null ? undefined : this.find(field.to, row[field.name])
        return spot === undefined ? [] : [spot]
      }
      case 'inverse':
      case 'many':
        return this.spots(field.to).filter((spot) => spot.row[field.via.name] === row.id)
      case 'links':
        return this.#linked(field.owner, row.id, field.name).map((id) => this.find(field.to, id)!)
    }
  }

  /** All rows, for comparisons. */
  dump(): Record<string, Row[]> {
    return Object.fromEntries(
      this.model.resources.map((of) => [
        of.name,
        this.spots(of)
          .map(({ row }) => row)
          .toSorted((a, b) => (a.id < b.id ? -1 : 1)),
      ]),
    )
  }

  #rowsOf(of: Resource): Row[] {
    return of.view === undefined ? [...this.#tables.get(of.name)!.values()] : this.#views[of.name]!(this)
  }

  #linked(of: Resource, id: string, field: string): string[] {
    return (this.#tables.get(of.name)!.get(id)?.[field] as string[] | undefined) ?? []
  }
}

/** A client may write the id of a row of one of several types as `Type:id`. */
export function withoutType(id: unknown): unknown {
  return typeof id === 'string' ? id.replace(/^\w+:/, '') : id
}

export function mayBe(target: Resource | Abstract, of: Resource): boolean {
  return target.kind === 'abstract' ? target.members.includes(of) : target === of
}

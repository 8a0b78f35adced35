// References to rows of the served schema that this schema does not know: by fields and types of a newer version, which other
// nodes serve or which was rolled back, and of fields and types that were removed. A delete must respect them.
//
// On PostgreSQL a newer node may add references while this one runs. So each delete first asks which schema was served last,
// together with its row, and reads the references again when that has changed. It asks after it has locked the row: whoever
// writes a reference to the row locks it too, so the delete sees every schema that could have been used for one.

import type { Resource } from '#model'
import type { RowImages } from '../../changes/row-images.ts'
import type { Query, QueryRows } from '../../sql/query.ts'
import type { WriteDialect } from '../../sql/write-dialect.ts'
import { type Layout, storageTypeOf, tableOf } from '../../tables/layout.ts'
import { quoteName } from '../../tables/quote.ts'
import type { StorageNames, StoredReference } from '../../tables/storage-names.ts'
import { unknownReferences } from '../../tables/stored-references.ts'
import { type ChangeEntry, ChangeStatements } from './change-statements.ts'

export interface UnknownReference extends StoredReference {
  /** The type of the rows that refer; null if the served schema does not know it either. */
  owner: Resource | null
}

/** A row that refers by an unknown reference, and the row that it refers to. */
export interface UnknownReferrer {
  reference: UnknownReference
  id: string
  target: { type: string; id: string }
}

interface UnknownStatements {
  referring: string
  unlink: string
  find: string
  clear: string
  changes: ChangeStatements
}

export class UnknownReferences {
  readonly #layout: Layout
  readonly #dialect: WriteDialect
  readonly #images: RowImages
  readonly #owners: Map<string, Resource>
  #list: UnknownReference[] = []
  /** The schema that was served last, as far as this node knows; null: it has not asked yet. */
  #served: unknown = null
  readonly #statements = new Map<UnknownReference, UnknownStatements>()

  constructor(layout: Layout, dialect: WriteDialect, images: RowImages) {
    this.#layout = layout
    this.#dialect = dialect
    this.#images = images
    this.#owners = new Map([...layout.tables].map(([resource, { name }]) => [name, resource]))
    this.#take(layout.references)
  }

  /** Asks which schema was served last. Empty if no other node can serve another one. */
  askServed(): Query[] {
    const { servedSchema } = this.#dialect
    return servedSchema === null ? [] : [{ sql: servedSchema, parameters: [] }]
  }

  /** With the rows of `askServed`: the query for `takeNames`, if the references may have changed. */
  outdated([rows]: readonly QueryRows[]): Query | null {
    if (rows === undefined || rows[0]?.[0] === this.#served) return null
    return { sql: 'SELECT names FROM twain_schema ORDER BY n DESC LIMIT 1', parameters: [] }
  }

  takeNames([names]: readonly QueryRows[], [served]: readonly QueryRows[]): void {
    const { references = [] } = JSON.parse(String(names![0]![0])) as StorageNames
    this.#take(references)
    this.#served = served![0]![0]
  }

  #take(all: readonly StoredReference[]): void {
    this.#statements.clear()
    this.#list = unknownReferences(all, this.#layout).map((reference) => {
      return { ...reference, owner: this.#owners.get(reference.table) ?? null }
    })
  }

  /** Those that may lead to rows of this type, without links. */
  incoming(resource: Resource): UnknownReference[] {
    if (this.#list.length === 0) return this.#list
    return this.#leadingTo(resource).filter(({ onDelete }) => onDelete !== 'UNLINK')
  }

  #leadingTo(resource: Resource): UnknownReference[] {
    const { name } = tableOf(this.#layout, resource)
    return this.#list.filter(({ to, typeColumn }) => (typeColumn === null ? to === name : true))
  }

  /** Deletes the links to a row that is deleted. */
  unlink(resource: Resource, id: string): Query[] {
    if (this.#list.length === 0) return []
    return this.#leadingTo(resource)
      .filter(({ onDelete }) => onDelete === 'UNLINK')
      .map((reference) => ({ sql: this.#of(reference).unlink, parameters: this.#target(reference, resource, id) }))
  }

  /** Selects the ids of rows that refer to this one, at most `most`. */
  referring(reference: UnknownReference, resource: Resource, id: string, most: number): Query {
    const target = this.#target(reference, resource, id)
    return { sql: this.#of(reference).referring, parameters: isBlocking(reference) ? target : [...target, most] }
  }

  referrer(reference: UnknownReference, id: string, resource: Resource, target: string): UnknownReferrer {
    return { reference, id, target: { type: storageTypeOf(this.#layout, resource), id: target } }
  }

  /** Selects and locks the version of a row of an unknown type. */
  find({ reference, id }: UnknownReferrer): Query {
    return { sql: this.#of(reference).find, parameters: [id] }
  }

  /** Sets the reference of a row of an unknown type to null: its next version, with an entry in the change log. */
  clear(referrer: UnknownReferrer, version: number, made: Pick<ChangeEntry, 'time' | 'by' | 'via' | 'trace'>): Query[] {
    const { clear, changes } = this.#of(referrer.reference)
    const before = JSON.stringify(Object.fromEntries(previousValues(referrer)))
    return changes.queries(clear, [referrer.id, version], { ...made, kind: 'updated', version, before, links: null })
  }

  #target({ typeColumn }: UnknownReference, resource: Resource, id: string): string[] {
    return typeColumn === null ? [id] : [id, storageTypeOf(this.#layout, resource)]
  }

  #of(reference: UnknownReference): UnknownStatements {
    let statements = this.#statements.get(reference)
    if (statements === undefined) {
      statements = this.#build(reference)
      this.#statements.set(reference, statements)
    }
    return statements
  }

  #build(reference: UnknownReference): UnknownStatements {
    const { table: name, column, typeColumn, of, onDelete } = reference
    const table = quoteName(name)
    const isType = typeColumn === null ? '' : ` AND ${quoteName(typeColumn)} = ?2`
    const refers = `${table} WHERE ${quoteName(column)} = ?1${isType}`
    const { lock } = this.#dialect
    const most = typeColumn === null ? '?2' : '?3'
    const bound = isBlocking(reference) ? ' LIMIT 1' : ` LIMIT CAST(${most} AS INTEGER)`
    const locked = onDelete === 'SET_NULL' ? lock.change : ''
    const cleared = [column, ...(typeColumn === null ? [] : [typeColumn])].map((one) => `${quoteName(one)} = NULL`)
    const changes = new ChangeStatements(of ?? '', { name, quoted: table }, this.#dialect, this.#images)
    const update = `UPDATE ${table} AS t SET _version = ?2, ${cleared.join(', ')} WHERE t.id = ?1`
    return {
      referring: this.#dialect.text(`SELECT id FROM ${refers}${bound}${locked}`),
      unlink: this.#dialect.text(`DELETE FROM ${refers}`),
      find: this.#dialect.text(`SELECT _version FROM ${table} WHERE id = ?1${lock.change}`),
      clear: changes.text(update, 2, 'updated', false),
      changes,
    }
  }
}

/** One row of an unknown type is enough to refuse a delete; rows of known types may be deleted with it. */
function isBlocking({ onDelete, owner }: UnknownReference): boolean {
  return onDelete !== 'SET_NULL' && owner === null
}

/** The columns of the reference with their values. */
export function previousValues({ reference, target }: UnknownReferrer): [column: string, value: string][] {
  const { column, typeColumn } = reference
  return typeColumn === null
    ? [[column, target.id]]
    : [
        [column, target.id],
        [typeColumn, target.type],
      ]
}

// The rows that the examples of `/docs` name: rows that exist, and that the viewer of the page may read.

import type { Viewer } from '#base/http'
import type { Abstract, Model, ReferenceField, Resource } from '#model'

/** The body of a GET as the viewer of the page. Null: it failed. */
export type ReadPath = (target: string) => Promise<unknown>

/** Stands for an id where the viewer can read no row. */
export const missingId = 'ID'

export class ExampleRows {
  readonly #model: Model
  readonly #viewer: Viewer
  readonly #read: ReadPath
  readonly #newest = new Map<Resource | Abstract, Promise<string>>()

  constructor(model: Model, viewer: Viewer, read: ReadPath) {
    this.#model = model
    this.#viewer = viewer
    this.#read = read
  }

  /** The id of the newest row, which others refer to least; of the account type the viewer's own row. */
  newest(of: Resource | Abstract): Promise<string> {
    if (this.#isOfViewer(of)) return Promise.resolve(this.#viewer.account!)
    const known = this.#newest.get(of)
    if (known !== undefined) return known
    const found = this.#first(`/${of.path}?fields=id&sort=-id&limit=1`)
    this.#newest.set(of, found)
    return found
  }

  /** The id of the newest row that can be deleted: none of its lists has a row that keeps it. */
  deletable(of: Resource): Promise<string> {
    if (of.name === 'Token') return this.#token()
    return this.#isOfViewer(of) ? this.newest(of) : this.deletableByFilter(of)
  }

  /** The same for a delete by a filter, which refuses the viewer's own account (R266). */
  deletableByFilter(of: Resource): Promise<string> {
    const own = this.#isOfViewer(of) ? { id: { ne: this.#viewer.account } } : {}
    const keeping = [...of.fields.values()].filter(
      (field) => field.kind === 'many' && field.via.onDelete === 'RESTRICT',
    )
    const where = { ...own, ...Object.fromEntries(keeping.map(({ name }) => [name, { none: {} }])) }
    if (Object.keys(where).length === 0) return this.newest(of)
    return this.#first(`/${of.path}?fields=id&sort=-id&limit=1&where=${encodeURIComponent(JSON.stringify(where))}`)
  }

  /** Whether the viewer's account is a row of this type. */
  #isOfViewer(of: Resource | Abstract): boolean {
    return this.#viewer.account !== null && of === this.#model.account?.resource
  }

  /** The ids for the required references of a new row. If only references make the row unique, their combination is new. */
  async references(
    of: Resource,
    needed: readonly ReferenceField[],
    given: ReadonlyMap<ReferenceField, string>,
  ): Promise<ReadonlyMap<ReferenceField, string>> {
    const ids = new Map(given)
    for (const field of needed) if (!ids.has(field)) ids.set(field, await this.newest(field.to))
    for (const { unique, fields } of of.indexes) {
      if (!unique || fields.some((field) => field.kind !== 'reference')) continue
      const free = (fields as ReferenceField[]).findLast((field) => !given.has(field) && ids.has(field))
      if (free !== undefined) ids.set(free, await this.#unused(free, fields as ReferenceField[], ids))
    }
    return ids
  }

  /** A row that no row with the same other references refers to. */
  async #unused(
    field: ReferenceField,
    unique: readonly ReferenceField[],
    ids: ReadonlyMap<ReferenceField, string>,
  ): Promise<string> {
    const others = unique.filter((one) => one !== field).map((one) => `${one.name}=${ids.get(one)}&`)
    const rows = await this.#read(`/${field.owner.path}?${others.join('')}fields=${field.name}&limit=100`)
    const used = Array.isArray(rows) ? rows.map((row) => String(row[field.name])) : []
    const filter = used.length === 0 ? '' : `&id[notIn]=${used.join(',')}`
    return this.#first(`/${field.to.path}?fields=id&sort=-id&limit=1${filter}`)
  }

  /** The fields of the row. */
  row(of: Resource, id: string): Promise<unknown> {
    return this.#read(`/${of.path}/${id}`)
  }

  /** The id of the first row at this path. */
  system(path: string): Promise<string> {
    return this.#first(path)
  }

  /** A token of the viewer; not the one of this request, if there is another. */
  async #token(): Promise<string> {
    const tokens = await this.#read('/tokens?fields=id')
    const ids = Array.isArray(tokens) ? tokens.map(({ id }) => String(id)) : []
    return ids.find((id) => id !== this.#viewer.token) ?? ids[0] ?? missingId
  }

  /** A file that a row of the viewer refers to. */
  async file(): Promise<string> {
    for (const { path, fields } of this.#model.resources) {
      for (const field of fields.values()) {
        if (field.kind !== 'reference' || field.to !== this.#model.file?.resource) continue
        const rows = await this.#read(`/${path}?${field.name}[isNull]=false&fields=${field.name}&sort=-id&limit=1`)
        if (Array.isArray(rows) && rows.length > 0) return String(rows[0][field.name])
      }
    }
    return missingId
  }

  async #first(target: string): Promise<string> {
    const rows = await this.#read(target)
    return Array.isArray(rows) && rows.length > 0 ? String(rows[0].id) : missingId
  }
}

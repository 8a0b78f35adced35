// What every step of a write has at hand: the contract, its tables, and the change log.

import type { Account, LinksField, Model, ReferenceField, Resource } from '#model'
import type { SqlValue } from '../compile/encode.ts'
import { name } from '../compile/statement.ts'
import { type Layout, linkSides } from '../layout.ts'
import type { Statements } from '../sqlite/connection.ts'
import { TableAccess } from './table-access.ts'

/** A row that is referred or linked to. */
export interface Target {
  type: string
  id: string
}

export interface Change {
  resource: Resource
  id: string
  kind: 'created' | 'updated' | 'deleted'
  version: number
  /** The row's own fields after the change, by column; null when it is gone. */
  after: Record<string, unknown> | null
  /** The former values of what changed. */
  before: Record<string, unknown> | null
}

export class WriterContext {
  readonly layout: Layout
  readonly account: Account | null
  readonly statements: Statements
  readonly #resources: Map<string, Resource>
  readonly #tables = new Map<Resource, TableAccess>()
  readonly #incoming = new Map<Resource, ReferenceField[]>()

  constructor(model: Model, layout: Layout, statements: Statements) {
    this.layout = layout
    this.account = model.account
    this.statements = statements
    this.#resources = new Map(model.resources.map((resource) => [resource.name, resource]))
    for (const resource of model.resources) {
      this.#tables.set(resource, new TableAccess(resource, layout, statements))
      this.#incoming.set(resource, [])
    }
    for (const resource of model.resources) {
      for (const field of resource.fields.values()) {
        if (field.kind !== 'reference') continue
        const targets = field.to.kind === 'resource' ? [field.to] : field.to.members
        for (const target of targets) this.#incoming.get(target)!.push(field)
      }
    }
  }

  resource(type: string): Resource {
    return this.#resources.get(type)!
  }

  table(resource: Resource): TableAccess {
    return this.#tables.get(resource)!
  }

  /** Every reference that may lead to a row of this type. */
  incoming(resource: Resource): readonly ReferenceField[] {
    return this.#incoming.get(resource)!
  }

  log({ resource, id, kind, version, after, before }: Change, time: string): void {
    this.statements
      .get('INSERT INTO twain_change (resource, id, kind, version, time, after, before) VALUES (?, ?, ?, ?, ?, ?, ?)')
      .run(resource.name, id, kind, version, time, textOrNull(after), textOrNull(before))
  }

  /** The version that the id had when it was deleted, 0 when it never was there. */
  goneVersion(resource: Resource, id: string): number {
    const gone = this.statements
      .get('SELECT version FROM twain_gone WHERE resource = ? AND id = ?')
      .get(resource.name, id)
    return gone === undefined ? 0 : Number((gone as unknown as SqlValue[])[0])
  }

  markGone(resource: Resource, id: string, version: number): void {
    this.statements
      .get('INSERT OR REPLACE INTO twain_gone (resource, id, version) VALUES (?, ?, ?)')
      .run(resource.name, id, version)
  }

  /** The linked rows, in the order of their ids. */
  linked(field: LinksField, id: string): Target[] {
    const { table, own, other } = linkSides(this.layout, field)
    const type = this.#linkType(field)
    const columns = [other, ...(type === null ? [] : [type])].map(name).join(', ')
    const found = this.statements
      .get(`SELECT ${columns} FROM ${name(table)} WHERE ${name(own)} = ? ORDER BY ${columns}`)
      .all(id) as unknown as [string, string | undefined][]
    return found.map(([far, farType]) => ({ type: farType ?? field.to.name, id: far }))
  }

  link(field: LinksField, id: string, target: Target): void {
    const { table, own, other } = linkSides(this.layout, field)
    const type = this.#linkType(field)
    const columns = [own, other, ...(type === null ? [] : [type])].map(name).join(', ')
    const values = type === null ? [id, target.id] : [id, target.id, target.type]
    const places = values.map(() => '?').join(', ')
    // Both sides of a type's relation with itself may name the same link in one write.
    this.statements
      .get(`INSERT INTO ${name(table)} (${columns}) VALUES (${places}) ON CONFLICT DO NOTHING`)
      .run(...values)
  }

  unlink(field: LinksField, id: string, target: Target): void {
    const { table, own, other } = linkSides(this.layout, field)
    const type = this.#linkType(field)
    const isType = type === null ? '' : ` AND ${name(type)} = ?`
    const sql = `DELETE FROM ${name(table)} WHERE ${name(own)} = ? AND ${name(other)} = ?${isType}`
    this.statements.get(sql).run(id, target.id, ...(type === null ? [] : [target.type]))
  }

  /** Drops every link of a row that is going, from both sides. */
  dropLinks(resource: Resource, id: string): void {
    for (const [link, { name: table, left, right, rightType }] of this.layout.links) {
      if (link.left.owner === resource) {
        this.statements.get(`DELETE FROM ${name(table)} WHERE ${name(left)} = ?`).run(id)
      }
      const { to } = link.left
      const leadsHere = to.kind === 'resource' ? to === resource : to.members.includes(resource)
      if (!leadsHere) continue
      const isType = rightType === null ? '' : ` AND ${name(rightType)} = ?`
      const sql = `DELETE FROM ${name(table)} WHERE ${name(right)} = ?${isType}`
      this.statements.get(sql).run(id, ...(rightType === null ? [] : [resource.name]))
    }
  }

  #linkType(field: LinksField): string | null {
    return field.side === 'left' ? this.layout.links.get(field.link)!.rightType : null
  }
}

function textOrNull(image: Record<string, unknown> | null): string | null {
  return image === null ? null : JSON.stringify(image)
}

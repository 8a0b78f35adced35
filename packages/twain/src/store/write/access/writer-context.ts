// What every step of a write uses: the model and its tables.

import { CacheBudget } from '#base'
import {
  type Account,
  type LinksField,
  type Model,
  membersOf,
  type ReferenceField,
  type Resource,
  rowTypes,
} from '#model'
import { negatedLists } from '#plan'
import { nextVersion } from '../../changes/epochs.ts'
import type { RowImages } from '../../changes/row-images.ts'
import type { Query } from '../../sql/query.ts'
import { listName } from '../../sql/rule-locks.ts'
import type { WriteDialect } from '../../sql/write-dialect.ts'
import { type StoreClock, wallClock } from '../../store-clock.ts'
import { JobQueries } from '../../system/jobs/job-queries.ts'
import type { NewJob } from '../../system/jobs/job-store.ts'
import { forgetHistory } from '../../system/kept-history.ts'
import { type SystemQuery, systemQuery } from '../../system/system-tables.ts'
import { columnOf, type Layout, StorageTypeNames, storageTypeOf } from '../../tables/layout.ts'
import { quoteName } from '../../tables/quote.ts'
import type { JobKey } from '../steps/write-job.ts'
import { LinkAccess } from './link-access.ts'
import type { StoredRow } from './stored-row.ts'
import { TableAccess } from './table-access.ts'
import { UnknownReferences } from './unknown-references.ts'

/** As large as a LIMIT of both databases may be, with one more row. */
export const unlimitedRows = 2 ** 31 - 2

interface WriterContextOptions {
  caches?: CacheBudget
  /** Default: `wallClock`. */
  clock?: StoreClock
  /** 0: no limit. */
  maxCascade?: number
}

export class WriterContext {
  readonly layout: Layout
  readonly account: Account | null
  readonly clock: StoreClock
  /** The type `File`, if the schema has it. */
  readonly file: Resource | null
  /** Builds a query on a system table. */
  readonly query: SystemQuery
  /** References that this schema does not know. */
  readonly unknown: UnknownReferences
  /** How many rows a delete may touch beside its own (`limits.cascade`). */
  readonly maxCascade: number
  readonly #versionFloor: () => number
  readonly #dialect: WriteDialect
  readonly #types: StorageTypeNames
  readonly #jobs: JobQueries
  readonly #resources: Map<string, Resource>
  readonly #tables = new Map<Resource, TableAccess>()
  readonly #links = new Map<LinksField, LinkAccess>()
  readonly #incoming = new Map<Resource, ReferenceField[]>()
  /** By the type of their rows, the lists of which a rule may require that a row is not in them; empty if there is one writer. */
  readonly #negated = new Map<Resource, { name: string; column: string }[]>()
  readonly #negatedLinks = new Set<LinksField>()
  readonly #linkDeletes = new Map<Resource, { sql: string; typed: boolean }[]>()

  /** `versionFloor` is that of the newest epoch (`changes/epochs.ts`). */
  constructor(
    model: Model,
    layout: Layout,
    dialect: WriteDialect,
    images: RowImages,
    versionFloor: () => number,
    { caches = new CacheBudget(), clock = wallClock, maxCascade = 0 }: WriterContextOptions = {},
  ) {
    this.maxCascade = maxCascade === 0 ? unlimitedRows : maxCascade
    this.layout = layout
    this.clock = clock
    this.#versionFloor = versionFloor
    this.account = model.account
    this.file = model.file?.resource ?? null
    this.query = systemQuery(dialect)
    this.unknown = new UnknownReferences(layout, dialect, images)
    this.#dialect = dialect
    this.#types = new StorageTypeNames(layout)
    this.#jobs = new JobQueries(dialect, null)
    const resources = rowTypes(model)
    this.#resources = new Map(resources.map((resource) => [resource.name, resource]))
    for (const resource of resources) {
      const table = new TableAccess(resource, layout, dialect, images, caches)
      this.#tables.set(resource, table)
      for (const field of table.links) this.#links.set(field, new LinkAccess(field, layout, dialect))
      this.#incoming.set(resource, [])
      this.#linkDeletes.set(resource, this.#linkDeleteTexts(resource))
    }
    if (dialect.lockId !== null) this.#findNegatedLists(model)
    for (const resource of model.resources) {
      for (const field of resource.fields.values()) {
        if (field.kind !== 'reference') continue
        for (const target of membersOf(field.to)) this.#incoming.get(target)!.push(field)
      }
    }
  }

  #findNegatedLists(model: Model): void {
    for (const field of negatedLists(model)) {
      if (field.kind === 'links') this.#negatedLinks.add(field)
      else {
        const { to, via } = field
        const list = { name: listName({ kind: 'list', via }, this.layout), column: columnOf(this.layout, via).name }
        this.#negated.set(to, [...(this.#negated.get(to) ?? []), list])
      }
    }
  }

  resource(type: string): Resource {
    return this.#resources.get(type)!
  }

  /** The type with this storage name. */
  storedResource(type: string): Resource {
    return this.resource(this.#types.current(type))
  }

  /** The same; null if this schema has no such type. */
  knownResource(type: string): Resource | null {
    return this.#resources.get(this.#types.current(type)) ?? null
  }

  /** Adds a job to the queue. */
  enqueue(job: NewJob): Query {
    return this.#jobs.insert(job)
  }

  table(resource: Resource): TableAccess {
    return this.#tables.get(resource)!
  }

  links(field: LinksField): LinkAccess {
    return this.#links.get(field)!
  }

  /** Every reference field that may lead to this type. */
  incoming(resource: Resource): readonly ReferenceField[] {
    return this.#incoming.get(resource)!
  }

  /** The version of a row after `previous`; 0: of a new row. */
  nextVersion(previous: number): number {
    return nextVersion(previous, this.#versionFloor())
  }

  /** Locks an id that the client chose, before the write looks for its row. Otherwise another write could create and
   *  delete it meanwhile, and its version would fall. */
  lockId(resource: Resource, id: string): Query[] {
    const { lockId: holdId } = this.#dialect
    return holdId === null ? [] : [this.query(holdId, storageTypeOf(this.layout, resource), id)]
  }

  /** Waits for writes that rely on a rule by which rows like these are not in a list, and keeps such writes from beginning. */
  lockLists(resource: Resource, rows: readonly StoredRow[]): Query[] {
    const lists = this.#negated.get(resource)
    if (lists === undefined) return []
    return lists.flatMap(({ name, column }) => {
      const owners = new Set(
        rows.map(({ values }) => values.get(column)).filter((id) => id !== null && id !== undefined),
      )
      return [...owners].sort().map((id) => this.#lockList(name, String(id)))
    })
  }

  /** The same for a row that a link adds. */
  lockLinkedLists({ link, side }: LinksField, id: string, target: string): Query[] {
    const sides = [link.left, link.right].filter((field) => field !== null && this.#negatedLinks.has(field))
    return sides.map((field) =>
      this.#lockList(listName({ kind: 'links', field: field! }, this.layout), field!.side === side ? id : target),
    )
  }

  /** The same for several ids, in one order for all writes. */
  lockIds(resource: Resource, ids: readonly string[]): Query[] {
    const { lockId: holdId, jsonTexts } = this.#dialect
    if (holdId === null) return []
    const sorted = `(SELECT value FROM ${jsonTexts('?2')} ORDER BY value) AS ids`
    const text = `${holdId.replaceAll('?2', 'ids.value')} FROM ${sorted}`
    return [this.query(text, storageTypeOf(this.layout, resource), JSON.stringify(ids))]
  }

  #lockList(name: string, id: string): Query {
    return { ...this.query(this.#dialect.lockId!, name, id), expects: 'lock' }
  }

  /** The same for a unique key whose row the write may create. */
  lockRowKey(resource: Resource, { fields, values }: JobKey): Query[] {
    return this.lockId(resource, `${fields.join()}=${JSON.stringify(values)}`)
  }

  /** Locks an idempotency key before the write looks for its record. Returns 0 if another write holds it. */
  lockKey(key: string): Query[] {
    const { lockKey: holdKey } = this.#dialect
    return holdKey === null ? [] : [this.query(holdKey, key)]
  }

  /** The clause of the dialect that skips locked rows. */
  get skipLocked(): string {
    return this.#dialect.skipLocked
  }

  /** Selects the version that the id had when it was deleted, and whether it can't be used again yet: the change log still has that
   *  delete, the row can be restored, or kept histories of other rows may name it. */
  findDeleted(resource: Resource, id: string): Query {
    if (this.incoming(resource).some(({ owner }) => owner.history !== undefined)) {
      const sql = 'SELECT version, 1 FROM twain_tombstone WHERE resource = ?1 AND id = ?2'
      return this.query(sql, storageTypeOf(this.layout, resource), id)
    }
    return this.query(
      "SELECT version, CASE WHEN EXISTS (SELECT 1 FROM twain_change WHERE kind = 'deleted' AND resource = ?1 AND id = ?2) " +
        'OR EXISTS (SELECT 1 FROM twain_trash WHERE type = ?1 AND id = ?2) THEN 1 ELSE 0 END FROM twain_tombstone WHERE resource = ?1 AND id = ?2',
      storageTypeOf(this.layout, resource),
      id,
    )
  }

  /** Returns a row if one of the ids was deleted. */
  findAnyDeleted(resource: Resource, ids: readonly string[]): Query {
    return this.query(
      `SELECT 1 FROM twain_tombstone WHERE resource = ?1 AND id IN (SELECT value FROM ${this.#dialect.jsonTexts('?2')}) LIMIT 1`,
      storageTypeOf(this.layout, resource),
      JSON.stringify(ids),
    )
  }

  markDeleted(resource: Resource, id: string, version: number): Query {
    return this.query(
      'INSERT INTO twain_tombstone (resource, id, version) VALUES (?1, ?2, ?3) ' +
        'ON CONFLICT (resource, id) DO UPDATE SET version = excluded.version',
      ...[storageTypeOf(this.layout, resource), id, version],
    )
  }

  /** Deletes the changes that are kept of a row, as it is deleted for good. */
  forgetHistory(resource: Resource, id: string): Query[] {
    return forgetHistory(resource, id, this.layout, this.query)
  }

  /** Deletes every link of a row that is deleted, from both sides. */
  deleteLinks(resource: Resource, id: string): Query[] {
    const type = storageTypeOf(this.layout, resource)
    const known = this.#linkDeletes.get(resource)!
    const queries = known.map(({ sql, typed }): Query => ({ sql, parameters: typed ? [id, type] : [id] }))
    return [...queries, ...this.unknown.unlink(resource, id)]
  }

  #linkDeleteTexts(resource: Resource): { sql: string; typed: boolean }[] {
    const drops: { sql: string; typed: boolean }[] = []
    for (const [link, { name: table, left, right, rightType }] of this.layout.links) {
      const drop = (column: string) => `DELETE FROM ${quoteName(table)} WHERE ${quoteName(column)} = ?1`
      if (link.left.owner === resource) drops.push({ sql: this.#dialect.text(drop(left)), typed: false })
      const { to } = link.left
      const leadsHere = to.kind === 'resource' ? to === resource : to.members.includes(resource)
      if (!leadsHere) continue
      const isType = rightType === null ? '' : ` AND ${quoteName(rightType)} = ?2`
      drops.push({ sql: this.#dialect.text(drop(right) + isType), typed: rightType !== null })
    }
    return drops
  }
}

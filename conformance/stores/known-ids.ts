// The ids that a client of both stores knows, by type, with those of deleted rows, and the versions of rows.

import type { Model, Resource } from '../../packages/twain/src/model/index.ts'
import type { Random } from '../fuzz/random.ts'
import type { RuleSchema } from '../rules/rule-schemas.ts'
import type { PairAnswer } from './store-pair.ts'

export class KnownIds {
  readonly model: Model
  readonly #ids = new Map<string, Set<string>>()
  readonly #versions = new Map<string, number>()
  readonly #deleted = ['nothing']

  constructor(model: Model, { rows }: RuleSchema) {
    this.model = model
    for (const { name } of model.resources) this.#ids.set(name, new Set())
    for (const [type, { id }] of rows) this.#ids.get(type)!.add(id)
  }

  /** Mostly the id of an existing row; rarely that of a deleted or a missing one. */
  id({ name }: Resource, random: Random): string {
    const there = [...this.#ids.get(name)!]
    return there.length > 0 && random.chance(0.95) ? random.one(there) : random.one(this.#deleted)
  }

  version({ name }: Resource, id: string): number {
    return this.#versions.get(`${name} ${id}`) ?? 1
  }

  /** Learns from a REST item. */
  learnRest(of: Resource, { status, headers, text }: PairAnswer): void {
    if (status >= 300 || !text.startsWith('{"id"') || !('etag' in headers)) return
    const { id } = JSON.parse(text) as { id: string }
    this.#note(of, id, Number(/\d+/.exec(String(headers.etag))?.[0]))
  }

  /** Learns from an object with an id and a version. */
  hearGraphql(of: Resource, row: unknown): void {
    if (Array.isArray(row)) for (const each of row) this.hearGraphql(of, each)
    else if (typeof row === 'object' && row !== null && 'id' in row && '_version' in row)
      this.#note(of, String(row.id), Number(row._version))
  }

  /** The row was deleted, or is not found. */
  miss({ name }: Resource, id: string): void {
    if (this.#ids.get(name)!.delete(id)) this.#deleted.push(id)
  }

  #note({ name }: Resource, id: string, version: number): void {
    this.#ids.get(name)!.add(id)
    this.#versions.set(`${name} ${id}`, version)
  }
}

// What changes of others do to an open table: a changed row shows its new values and is marked, a deleted one is struck through and stays
// in its place, new ones are announced. Nothing moves, and a row that is being edited waits until the edit ends.

import { signal } from '@preact/signals'
import { client } from '../api/client.ts'
import type { TypeModel } from '../api/model.ts'
import { draftOf } from '../edit/drafts.ts'
import { written } from '../edit/save.ts'
import type { RowList } from '../rows/row-list.ts'
import { type RowChange, RowFeed } from './row-feed.ts'

/** How long a changed row stays marked. */
const markMs = 30_000

export class LiveRows {
  /** The ids of rows that changed lately, and of those that are gone. */
  readonly changed = signal<ReadonlySet<string>>(new Set())
  readonly gone = signal<ReadonlySet<string>>(new Set())
  /** How many new rows match. */
  readonly newCount = signal(0)
  /** The row that is being edited. */
  heldId: string | null = null
  readonly #type: TypeModel
  readonly #list: RowList
  readonly #feed: RowFeed
  readonly #waiting = new Map<string, RowChange>()

  constructor(type: TypeModel, list: RowList) {
    this.#type = type
    this.#list = list
    this.#feed = new RowFeed(type.path)
    void this.#feed.run({
      onStart: () => void this.#revalidate(),
      onChanges: (changes) => void this.#apply(changes),
      onLost: () => void this.#revalidate(),
    })
  }

  end(): void {
    this.#feed.end()
  }

  /** The row that is edited now is left alone; null: none is. */
  hold(id: string | null): void {
    this.heldId = id
    const waiting = [...this.#waiting.values()].filter((change) => change.id !== id)
    for (const change of waiting) this.#waiting.delete(change.id)
    if (waiting.length > 0) void this.#apply(waiting)
  }

  async #apply(changes: readonly RowChange[]): Promise<void> {
    await this.#list.settled() // rows that are on their way may be older than the change
    const latest = new Map(changes.map((change) => [change.id, change]))
    const created: string[] = []
    for (const change of latest.values()) {
      const row = this.#list.rows.value.find(({ id }) => id === change.id)
      if (row === undefined) {
        // One that was changed may be further down; where all rows are loaded, it matches since then.
        const isNew = change.kind === 'created' || (change.kind === 'updated' && !this.#list.hasMore.value)
        if (isNew) created.push(change.id)
      } else if (change.id === this.heldId) this.#waiting.set(change.id, change)
      else if (change.kind === 'deleted') this.gone.value = new Set([...this.gone.value, change.id])
      else if (Number(row._version) < change.version) await this.#refresh(change.id)
    }
    if (created.length > 0) this.newCount.value += await this.#countMatching(created)
  }

  async #refresh(id: string): Promise<void> {
    const row = await this.#list.readWhole(this.#type.path, id)
    if (row === null) return
    this.#list.put(row)
    this.#mark(id)
    // The form shows the row as it is now, unless somebody is changing it.
    if (draftOf(this.#type.path, id) === undefined) written.value = [{ path: this.#type.path, id, isNew: false }]
  }

  async #revalidate(): Promise<void> {
    for (const id of await this.#list.revalidate()) this.#mark(id)
  }

  #mark(id: string): void {
    this.changed.value = new Set([...this.changed.value, id])
    setTimeout(() => {
      this.changed.value = new Set([...this.changed.value].filter((one) => one !== id))
    }, markMs)
  }

  /** Of rows that are not in the list, those that its filters find. */
  async #countMatching(ids: readonly string[]): Promise<number> {
    const query = this.#list.matchQuery(ids)
    const { headers } = await client.rest.get(query, { headers: { prefer: 'count=exact' } })
    return Number(headers.get('x-total-count'))
  }
}

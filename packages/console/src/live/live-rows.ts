// What changes of others do to an open table: a changed row shows its new values and is marked, a deleted one is struck through and stays
// in its place, new ones are announced. Nothing moves, and a row that is being edited waits until the edit ends.

import { signal } from '@preact/signals'
import type { TypeModel } from '../api/model.ts'
import { draftOf } from '../edit/drafts.ts'
import { changedByOthers } from '../edit/save.ts'
import type { RowList } from '../rows/row-list.ts'
import { type ChangeEvent, followChanges } from './follow-changes.ts'

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
  readonly #end = new AbortController()
  /** The last event of each row that the table does not show yet. */
  readonly #waiting = new Map<string, ChangeEvent>()
  /** New rows that match. An event that is delivered again counts once. */
  readonly #newIds = new Set<string>()
  #applying: Promise<void> = Promise.resolve()

  constructor(type: TypeModel, list: RowList) {
    this.#type = type
    this.#list = list
    void followChanges(type.path, this.#end.signal, {
      onStart: () => this.#revalidate(),
      onEvents: (events) => {
        for (const event of events) this.#waiting.set(event.subject, event)
        return this.#apply()
      },
    })
  }

  end(): void {
    this.#end.abort()
  }

  /** The row that is edited now is left alone; null: none is. */
  hold(id: string | null): void {
    this.heldId = id
    this.#apply().catch(() => {}) // what fails waits for the next events
  }

  /** One after the other, so that no row is read twice. */
  #apply(): Promise<void> {
    this.#applying = this.#applying.catch(() => {}).then(() => this.#applyWaiting())
    return this.#applying
  }

  /** An event waits until it is shown: if a request fails, the next call repeats it. */
  async #applyWaiting(): Promise<void> {
    const events = [...this.#waiting.values()].filter(({ subject }) => subject !== this.heldId)
    if (events.length === 0) return
    await this.#list.settled() // rows that are on their way may be older than the change
    const versions = new Map(this.#list.rows.value.map(({ id, _version }) => [id, Number(_version)]))
    await this.#applyToRows(
      events.filter(({ subject }) => versions.has(subject)),
      versions,
    )
    await this.#announce(events.filter(({ subject }) => !versions.has(subject)))
  }

  async #applyToRows(events: readonly ChangeEvent[], versions: ReadonlyMap<string, number>): Promise<void> {
    const refreshed: string[] = []
    try {
      for (const event of events) {
        const { subject: id, type, version } = event
        if (id === this.heldId) continue
        if (type.endsWith('.deleted')) this.gone.value = new Set([...this.gone.value, id])
        else if (versions.get(id)! < version && (await this.#refresh(id))) refreshed.push(id)
        this.#settle(event)
      }
    } finally {
      if (refreshed.length > 0) this.#tellPanel(refreshed)
    }
  }

  /** Counts the new rows that match. One that was changed may be further down; where all rows are loaded, it matches since then. */
  async #announce(events: readonly ChangeEvent[]): Promise<void> {
    const mayMatch = ({ type }: ChangeEvent) =>
      type.endsWith('.created') || (type.endsWith('.updated') && !this.#list.hasMore.value)
    const ids = events.filter(mayMatch).map(({ subject }) => subject)
    const matching = await this.#list.matching(ids)
    for (const { subject } of events) this.#newIds.delete(subject)
    for (const id of matching) this.#newIds.add(id)
    this.newCount.value = this.#newIds.size
    for (const event of events) this.#settle(event)
  }

  /** A later event of the row may have come meanwhile. */
  #settle(event: ChangeEvent): void {
    if (this.#waiting.get(event.subject) === event) this.#waiting.delete(event.subject)
  }

  async #refresh(id: string): Promise<boolean> {
    const row = await this.#list.readWhole(this.#type.path, id)
    if (row === null) return false
    this.#list.put(row)
    this.#mark(id)
    return true
  }

  /** The form shows the row as it is now, unless somebody is changing it. */
  #tellPanel(ids: readonly string[]): void {
    const { path } = this.#type
    changedByOthers.value = ids.filter((id) => draftOf(path, id) === undefined).map((id) => ({ path, id }))
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
}

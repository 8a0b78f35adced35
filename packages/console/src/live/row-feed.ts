// Follows the changes of one collection while its table is open (`GET /changes`, long polls). A hidden tab asks for nothing, and goes on
// from its last cursor when it is shown again.

import { client, failureOf } from '../api/client.ts'

export interface RowChange {
  kind: 'created' | 'updated' | 'deleted'
  id: string
  version: number
}

interface ChangePage {
  edges: { node: { type: string; subject: string; version: number } }[]
  pageInfo: { endCursor: string; hasNextPage: boolean }
}

const waitSeconds = 20
const pauseAfterFailureMs = 5000

export class RowFeed {
  readonly #path: string
  readonly #abort = new AbortController()

  constructor(path: string) {
    this.#path = path
  }

  /** `onStart` is called when changes from then on arrive; `onLost` when some may be missing. */
  async run(handlers: {
    onStart(): void
    onChanges(changes: readonly RowChange[]): void
    onLost(): void
  }): Promise<void> {
    let cursor: string | null = null
    while (!this.#abort.signal.aborted) {
      await shown(this.#abort.signal)
      try {
        const page: ChangePage = await this.#read(cursor)
        if (this.#abort.signal.aborted) return
        if (cursor === null) handlers.onStart()
        else if (page.edges.length > 0) handlers.onChanges(page.edges.map(({ node }) => changeOf(node)))
        cursor = page.pageInfo.endCursor
      } catch (error) {
        if (this.#abort.signal.aborted) return
        const { status } = failureOf(error)
        if (status === 401 || status === 403 || status === 404) return // this user hears of no changes
        if (status === 410) {
          cursor = null
          handlers.onLost()
        }
        await pause(pauseAfterFailureMs, this.#abort.signal)
      }
    }
  }

  end(): void {
    this.#abort.abort()
  }

  /** The first request only learns where the log ends now. */
  async #read(cursor: string | null): Promise<ChangePage> {
    const after = encodeURIComponent(cursor ?? 'now')
    const prefer: Record<string, string> = cursor === null ? {} : { prefer: `wait=${waitSeconds}` }
    const { data } = await client.rest.get<ChangePage>(`/changes?resource=${this.#path}&first=100&after=${after}`, {
      headers: prefer,
      signal: this.#abort.signal,
    })
    return data!
  }
}

function changeOf({ type, subject, version }: ChangePage['edges'][number]['node']): RowChange {
  return { kind: type.slice(type.lastIndexOf('.') + 1) as RowChange['kind'], id: subject, version }
}

function shown(signal: AbortSignal): Promise<void> {
  if (!document.hidden) return Promise.resolve()
  return new Promise((resolve) => {
    document.addEventListener('visibilitychange', () => resolve(), { once: true, signal })
    signal.addEventListener('abort', () => resolve(), { once: true })
  })
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms)
    signal.addEventListener('abort', () => {
      clearTimeout(timer)
      resolve()
    })
  })
}

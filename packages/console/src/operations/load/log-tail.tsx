// The tail of the log (`GET /metrics/log`), the newest entry first. It follows by long polls while the page is shown.

import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { client, type Failure, failureOf } from '../../api/client.ts'
import { pause, whenShown } from '../../live/when-shown.ts'
import { FailureNote } from '../../page/failure-note.tsx'
import { printTime } from '../../rows/cell.tsx'
import { texts as common } from '../../texts.ts'
import { operationTexts as texts } from '../operation-texts.ts'

interface LogEntry {
  number: number
  /** The node whose log has it. */
  node: string
  time: string
  level: keyof typeof texts.levels
  message: string
  fields: Readonly<Record<string, unknown>>
}

interface LogTailPage {
  node: string
  entries: readonly Omit<LogEntry, 'number' | 'node'>[]
  endCursor: string
  missed: boolean
}

const maxShown = 300
/** Of all nodes. */
const maxKept = 1000
const waitSeconds = 20
/** As many as the server takes. */
const maxCursors = 100
const pauseAfterFailureMs = 5000

/** It follows the logs of all nodes that answer, and shows that of one. */
export function LogTail({ node }: { node: string }) {
  const entries = useSignal<readonly LogEntry[]>([])
  const level = useSignal<LogEntry['level']>('info')
  const words = useSignal('')
  const isPaused = useSignal(false)
  const isMissing = useSignal(false)
  const failure = useSignal<Failure | null>(null)
  useEffect(() => {
    if (isPaused.value) return
    const controller = new AbortController()
    entries.value = []
    isMissing.value = false
    let number = 0
    void followLog(level.value, words.value, controller.signal, {
      onEntries: (page) => {
        failure.value = null
        isMissing.value ||= page.missed
        const news = page.entries.map((one) => ({ ...one, node: page.node, number: number++ }))
        if (news.length > 0) entries.value = [...news.toReversed(), ...entries.value].slice(0, maxKept)
      },
      onFailure: (next) => {
        failure.value = next
      },
    })
    return () => controller.abort()
  }, [level.value, words.value, isPaused.value])
  const shown = entries.value.filter((one) => one.node === node).slice(0, maxShown)
  return (
    <section aria-label={texts.log}>
      <h3>{texts.log}</h3>
      <div class="actions">
        <select
          aria-label={texts.level}
          value={level.value}
          onChange={(event) => {
            level.value = event.currentTarget.value as LogEntry['level']
          }}
        >
          {Object.entries(texts.levels).map(([name, title]) => (
            <option key={name} value={name}>
              {title}
            </option>
          ))}
        </select>
        <input
          type="search"
          aria-label={texts.words}
          placeholder={texts.words}
          maxLength={200}
          value={words.value}
          onChange={(event) => {
            words.value = event.currentTarget.value.trim()
          }}
        />
        <button
          type="button"
          class="button"
          onClick={() => {
            isPaused.value = !isPaused.value
          }}
        >
          {isPaused.value ? common.goOn : common.pause}
        </button>
      </div>
      <FailureNote failure={failure.value} />
      {isMissing.value && <p class="note">{texts.missed}</p>}
      {shown.length === 0 && failure.value === null && <p class="dim">{texts.noEntries}</p>}
      <ol class="history">
        {shown.map(({ number, time, level: ofEntry, message, fields }) => (
          <li key={number}>
            <details>
              <summary>
                <time dateTime={time}>{printTime(time)}</time>{' '}
                <span class={ofEntry === 'info' ? 'dim' : 'denied'}>{ofEntry}</span> {message} {summaryOf(fields)}
              </summary>
              <pre class="code">{JSON.stringify(fields, null, 2)}</pre>
            </details>
          </li>
        ))}
      </ol>
    </section>
  )
}

/** Of a request: what it was, and its answer. */
function summaryOf(fields: LogEntry['fields']): string {
  const { 'http.request.method': method, 'url.path': path, 'http.response.status_code': status } = fields
  return method === undefined ? '' : `${method} ${path} ${status}`
}

interface TailHandlers {
  onEntries(page: LogTailPage): void
  onFailure(failure: Failure): void
}

async function followLog(level: string, words: string, signal: AbortSignal, handlers: TailHandlers): Promise<void> {
  /** The last cursor of each node. */
  const cursors = new Map<string, string>()
  while (!signal.aborted) {
    await whenShown(signal)
    const request = new AbortController()
    const stop = () => {
      if (document.hidden || signal.aborted) request.abort()
    }
    document.addEventListener('visibilitychange', stop)
    signal.addEventListener('abort', stop)
    try {
      const filter = `level=${level}${words === '' ? '' : `&words=${encodeURIComponent(words)}`}`
      const headers: Record<string, string> = cursors.size === 0 ? {} : { prefer: `wait=${waitSeconds}` }
      const from = cursors.size === 0 ? '' : `&after=${[...cursors.values()].slice(-maxCursors).join(',')}`
      const options = { headers, signal: request.signal }
      const { data } = await client.rest.get<LogTailPage>(`/metrics/log?${filter}${from}`, options)
      if (signal.aborted) return
      const page = data!
      // A node that answers for the first time has missed nothing that was shown.
      handlers.onEntries({ ...page, missed: page.missed && cursors.has(page.node) })
      cursors.delete(page.node)
      cursors.set(page.node, page.endCursor)
    } catch (error) {
      if (signal.aborted) return
      if (request.signal.aborted) continue // the page was hidden
      const failure = failureOf(error)
      handlers.onFailure(failure)
      if ([400, 401, 403, 404].includes(failure.status)) return
      await pause(pauseAfterFailureMs, signal)
    } finally {
      document.removeEventListener('visibilitychange', stop)
      signal.removeEventListener('abort', stop)
    }
  }
}

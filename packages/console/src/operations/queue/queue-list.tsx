// A list of what waits, runs or has ended: deliveries of a webhook, or jobs. One state at a time or all, the newest first.

import { useSignal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { useEffect } from 'preact/hooks'
import { client } from '../../api/client.ts'
import { enumNamed, fieldNamed, pageSize, type TypeModel, typeNamed } from '../../api/model.ts'
import { RequestNote } from '../../page/request-note.tsx'
import { printTime } from '../../rows/cell.tsx'
import { texts as common } from '../../texts.ts'
import { operationTexts as texts } from '../operation-texts.ts'
import { useRequest } from '../use-request.ts'
import { type Attempt, Attempts } from './attempts.tsx'

export interface QueuedRow {
  id: string
  state: string
  createdAt: string
  finishedAt: string | null
  attempts: readonly Attempt[]
}

interface QueuePage<Row> {
  edges: readonly { node: Row }[]
  pageInfo: { hasNextPage: boolean; endCursor: string }
}

interface QueueListProps<Row extends QueuedRow> {
  /** `WebhookDelivery` or `BackgroundJob`. */
  typeName: string
  /** The collection: `webhooks/w1/deliveries`. */
  path: string
  title(row: Row): string
  /** When it is due; null: it is not. */
  nextAt(row: Row): string | null
  /** What each transition is called, by the next state. */
  actions: Readonly<Record<string, string>>
  children?: (row: Row) => ComponentChildren
}

const shownRows = 20

export function QueueList<Row extends QueuedRow>(props: QueueListProps<Row>) {
  const { typeName, path, title, nextAt, actions, children } = props
  const type = typeNamed(typeName)!
  const rows = useSignal<readonly Row[] | null>(null)
  const more = useSignal<string | null>(null)
  const state = useSignal('')
  const { failure, isRunning, run } = useRequest()
  const read = (after: string | null) =>
    run(async () => {
      const only = state.value === '' ? '' : `&state=${state.value}`
      const from = after === null ? '' : `&after=${encodeURIComponent(after)}`
      const first = pageSize(shownRows)
      const { data } = await client.rest.get<QueuePage<Row>>(`/${path}?first=${first}${only}${from}`)
      const found = data!.edges.map(({ node }) => node)
      rows.value = after === null ? found : [...rows.value!, ...found]
      more.value = data!.pageInfo.hasNextPage ? data!.pageInfo.endCursor : null
    })
  useEffect(() => void read(null), [path, state.value])
  const move = (row: Row, next: string) =>
    run(async () => {
      await client.rest.patch(`/${type.path}/${encodeURIComponent(row.id)}`, { state: next })
    }).then((isDone) => isDone && read(null))
  return (
    <>
      <div class="actions">
        <select
          aria-label={texts.state}
          value={state.value}
          onChange={(event) => {
            state.value = event.currentTarget.value
          }}
        >
          <option value="">{texts.allStates}</option>
          {statesOf(type).map((one) => (
            <option key={one} value={one}>
              {one}
            </option>
          ))}
        </select>
        <button type="button" class="button" disabled={isRunning.value} onClick={() => void read(null)}>
          {common.reload}
        </button>
      </div>
      <RequestNote failure={failure.value} result={rows.value} />
      {rows.value?.length === 0 && <p class="dim">{common.noMatch}</p>}
      <ul class="history">
        {rows.value?.map((row) => (
          <li key={row.id}>
            <details>
              <summary>
                <time dateTime={row.createdAt}>{printTime(row.createdAt)}</time>{' '}
                <span class={isBad(row.state) ? 'badge denied' : 'badge'}>{row.state}</span> {title(row)}{' '}
                <span class="dim">{dueText(nextAt(row))}</span>
              </summary>
              {children?.(row)}
              <Attempts attempts={row.attempts} />
            </details>
            {type.update !== 'none' &&
              transitionsOf(type, row.state).map((next) => (
                <button
                  key={next}
                  type="button"
                  class="button"
                  disabled={isRunning.value}
                  onClick={() => void move(row, next)}
                >
                  {actions[next] ?? next}
                </button>
              ))}
          </li>
        ))}
      </ul>
      {more.value !== null && (
        <button type="button" class="button" onClick={() => void read(more.value)}>
          {texts.older}
        </button>
      )}
    </>
  )
}

function dueText(at: string | null): string {
  return at === null ? '' : texts.due(printTime(at))
}

function isBad(state: string): boolean {
  return state.toLowerCase() === 'failed' || state === 'dropped'
}

function statesOf(type: TypeModel): string[] {
  return enumNamed(fieldNamed(type, 'state')!.type)?.values.map(({ name }) => name) ?? []
}

function transitionsOf(type: TypeModel, state: string): readonly string[] {
  return fieldNamed(type, 'state')?.transitions?.[state] ?? []
}

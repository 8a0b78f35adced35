// Events as they come: each change of a row that the user may see, the newest first.

import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { linkTo } from '../address/address.ts'
import type { Failure } from '../api/client.ts'
import { model, typeAt } from '../api/model.ts'
import { labelOf } from '../api/row.ts'
import { Authors } from '../history/authors.tsx'
import { type RowLabels, readLabels } from '../history/row-labels.ts'
import { type ChangeEvent, followChanges } from '../live/follow-changes.ts'
import { FailureNote } from '../page/failure-note.tsx'
import { printTime } from '../rows/cell.tsx'
import { texts } from '../texts.ts'

const maxEvents = 200

export function EventsPage() {
  const events = useSignal<readonly ChangeEvent[]>([])
  const resource = useSignal('')
  const isListening = useSignal(false)
  const isPaused = useSignal(false)
  const failure = useSignal<Failure | null>(null)
  const labels = useSignal<RowLabels>(new Map())
  const nameAuthors = async (some: readonly ChangeEvent[]) => {
    const more = await readLabels(
      undefined,
      some.map(({ by = null }) => ({ by, changed: [] })),
    )
    labels.value = new Map([...labels.value, ...more])
  }
  useEffect(() => {
    if (isPaused.value) return
    const controller = new AbortController()
    failure.value = null
    void followChanges(resource.value, controller.signal, {
      onStart: () => {
        isListening.value = true
      },
      onEvents: (some) => {
        events.value = [...some.toReversed(), ...events.value].slice(0, maxEvents)
        nameAuthors(some).catch(() => {}) // they keep their ids
      },
      onFailure: (next) => {
        failure.value = next
      },
    })
    return () => {
      isListening.value = false
      controller.abort()
    }
  }, [resource.value, isPaused.value])
  return (
    <section class="operations" aria-label={texts.events}>
      <h2>{texts.events}</h2>
      <div class="actions">
        <select
          aria-label={texts.eventsOf}
          value={resource.value}
          onChange={(event) => {
            resource.value = event.currentTarget.value
          }}
        >
          <option value="">{texts.allTypes}</option>
          {model
            .value!.types.filter(({ kind }) => kind === 'rows')
            .map(({ name, path }) => (
              <option key={path} value={path}>
                {name}
              </option>
            ))}
        </select>
        <button
          type="button"
          class="button"
          onClick={() => {
            isPaused.value = !isPaused.value
          }}
        >
          {isPaused.value ? texts.goOn : texts.pause}
        </button>
        <span role="status" class="dim">
          {isPaused.value ? texts.paused : isListening.value ? texts.listening : texts.loading}
        </span>
      </div>
      <FailureNote failure={failure.value} />
      <ol class="history">
        {events.value.map((event) => (
          <EventEntry key={event.id} event={event} labels={labels.value} />
        ))}
      </ol>
    </section>
  )
}

function EventEntry({ event, labels }: { event: ChangeEvent; labels: RowLabels }) {
  const { source, type, subject, time, version, by, via, data } = event
  const of = typeAt(source.slice(1))
  return (
    <li>
      <details>
        <summary>
          <time dateTime={time}>{printTime(time)}</time> <strong>{type}</strong> {texts.version(version)}
          {by !== undefined && (
            <>
              {' '}
              {texts.by} <Authors isPlain by={by} labels={labels} />
            </>
          )}
          {via !== undefined && <span class="dim"> {texts.via(via)}</span>}
        </summary>
        <pre class="code">{JSON.stringify(data, null, 2)}</pre>
      </details>
      {of === undefined || type.endsWith('.deleted') ? (
        <code>{subject}</code>
      ) : (
        <a href={linkTo([of.path, subject])}>{labelOf(of, { ...(data as object), id: subject })}</a>
      )}
    </li>
  )
}

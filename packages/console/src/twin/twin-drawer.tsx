// What the page has just done, as a person would do it: by curl, over HTTP, in GraphQL and with `@twain/client`, with the time of each stage.

import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { base } from '../api/base.ts'
import { isRecording, type SentRequest, sentRequests } from '../api/requests.ts'
import { copyText } from '../edit/copy-text.ts'
import { texts } from '../texts.ts'
import { isAdmin } from '../why/access.ts'
import { graphqlTwin } from './graphql-twin.ts'
import { clientText, curlText, httpText } from './request-texts.ts'
import { StatementsView } from './statements-view.tsx'

const forms = ['curl', 'rest', 'graphql', 'client', 'time', 'sql'] as const
type TwinForm = (typeof forms)[number]

export function TwinDrawer({ onClose }: { onClose(): void }) {
  const chosen = useSignal<number | null>(null)
  const form = useSignal<TwinForm>('curl')
  const requests = sentRequests.value
  useEffect(() => {
    isRecording.value = isAdmin() // the server records nothing for others
    return () => {
      isRecording.value = false
    }
  }, [])
  // What the user did, not what the page keeps asking to stay live.
  const newest = requests.find(({ target }) => !target.startsWith('/changes?')) ?? requests[0]
  const request = requests.find(({ number }) => number === chosen.value) ?? newest
  return (
    <section
      class="drawer"
      aria-label={texts.requests}
      onKeyDown={(event) => {
        if (event.key === 'Escape') onClose()
      }}
    >
      <header>
        <h2>{texts.requests}</h2>
        <button type="button" class="button quiet" aria-label={texts.close} onClick={onClose}>
          ×
        </button>
      </header>
      <select
        aria-label={texts.request}
        value={String(request?.number ?? '')}
        onChange={(event) => {
          chosen.value = Number(event.currentTarget.value)
        }}
      >
        {requests.map(({ number, method, target, status }) => (
          <option key={number} value={String(number)}>
            {`${status} ${method} ${target.slice(0, 120)}`}
          </option>
        ))}
      </select>
      <div class="actions" role="group" aria-label={texts.requestForms}>
        {forms
          .filter((one) => one !== 'sql' || isAdmin())
          .map((one) => (
            <button
              key={one}
              type="button"
              class="button"
              aria-pressed={one === form.value}
              onClick={() => {
                form.value = one
              }}
            >
              {texts.forms[one]}
            </button>
          ))}
      </div>
      {request !== undefined &&
        (form.value === 'sql' ? (
          <StatementsView
            key={`${request.number} ${request.id}`}
            request={request}
            onSent={(number) => (chosen.value = number)}
          />
        ) : (
          <TwinText text={twinText(request, form.value)} />
        ))}
    </section>
  )
}

function TwinText({ text }: { text: string }) {
  return (
    <>
      <textarea class="code twin" readOnly rows={12} aria-label={texts.requestText} value={text} />
      <button type="button" class="button" onClick={() => void copyText(text)}>
        {texts.copy}
      </button>
    </>
  )
}

function twinText(request: SentRequest, form: Exclude<TwinForm, 'sql'>): string {
  const root = `${location.origin}${base}`
  switch (form) {
    case 'curl':
      return curlText(request, root)
    case 'rest':
      return httpText(request)
    case 'graphql': {
      const twin = graphqlTwin(request)
      if (twin === null) return texts.noTwin
      return `${twin.query}\n\n# ${texts.variables}\n${JSON.stringify(twin.variables, null, 2)}`
    }
    case 'client':
      return clientText(request)
    case 'time':
      return timeText(request)
  }
}

/** Of `Server-Timing`: `parse;dur=0.081, store;dur=0.21`. */
function timeText({ duration, serverTiming }: SentRequest): string {
  const stages = [...(serverTiming ?? '').matchAll(/(\w+);dur=([\d.]+)/g)].map(
    ([, name, time]) => `${name!.padEnd(8)} ${Number(time).toFixed(2).padStart(9)} ms`,
  )
  const whole = `${texts.wholeTime.padEnd(8)} ${duration.toFixed(2).padStart(9)} ms`
  const missing = isAdmin() ? texts.notRecorded : texts.noTiming
  return [...(stages.length === 0 ? [missing] : stages), whole].join('\n')
}

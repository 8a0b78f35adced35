// The message of a delivery, read when somebody opens it: the headers and the body that the server sends.

import { useSignal } from '@preact/signals'
import { client } from '../../api/client.ts'
import { FailureNote } from '../../page/failure-note.tsx'
import { operationTexts as texts } from '../operation-texts.ts'
import { useRequest } from '../use-request.ts'

/** As `GET /webhook-deliveries/{id}/message` answers. */
interface ShownMessage {
  method: string
  url: string
  headers: readonly { name: string; value: string | null }[]
  body: string | null
  leftOut: readonly string[]
  because: string | null
}

export function MessageView({ delivery }: { delivery: string }) {
  const message = useSignal<ShownMessage | null>(null)
  const { failure, isRunning, run } = useRequest()
  const read = () =>
    run(async () => {
      const path = `/webhook-deliveries/${encodeURIComponent(delivery)}/message`
      message.value = (await client.rest.get<ShownMessage>(path)).data!
    })
  const shown = message.value
  return (
    <>
      <FailureNote failure={failure.value} />
      {shown === null ? (
        <button type="button" class="button" disabled={isRunning.value} onClick={() => void read()}>
          {texts.showMessage}
        </button>
      ) : (
        <section aria-label={texts.message}>
          <pre class="code">{headText(shown)}</pre>
          {shown.because !== null && <p class="denied">{shown.because}</p>}
          {shown.body !== null && <pre class="code">{indented(shown.body)}</pre>}
          {shown.leftOut.length > 0 && <p class="dim">{texts.leftOut(shown.leftOut)}</p>}
        </section>
      )}
    </>
  )
}

function headText({ method, url, headers }: ShownMessage): string {
  const lines = headers.map(({ name, value }) => `${name}: ${value ?? texts.ofAttempt}`)
  return [`${method} ${url}`, ...lines].join('\n')
}

function indented(body: string): string {
  return JSON.stringify(JSON.parse(body), null, 2)
}

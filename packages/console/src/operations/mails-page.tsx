// The mails that `twain dev` keeps instead of sending them, the newest first (`GET /mails`).

import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { client, type Failure, failureOf } from '../api/client.ts'
import { RequestNote } from '../page/request-note.tsx'
import { printTime } from '../rows/cell.tsx'
import { texts } from '../texts.ts'

interface KeptMail {
  to: string
  subject: string
  text: string
  createdAt: string
}

export function MailsPage() {
  const mails = useSignal<readonly KeptMail[] | null>(null)
  const failure = useSignal<Failure | null>(null)
  const load = async () => {
    try {
      mails.value = (await client.rest.get<KeptMail[]>('/mails')).data!
      failure.value = null
    } catch (error) {
      failure.value = failureOf(error)
    }
  }
  useEffect(() => void load(), [])
  return (
    <section class="operations" aria-label={texts.mails}>
      <h2>{texts.mails}</h2>
      <div class="actions">
        <button type="button" class="button" onClick={() => void load()}>
          {texts.reload}
        </button>
      </div>
      <RequestNote failure={failure.value} result={mails.value} />
      {mails.value?.length === 0 && <p class="nothing">{texts.noMails}</p>}
      <ol class="history">
        {mails.value?.map(({ to, subject, text, createdAt }) => (
          <li key={`${createdAt} ${to} ${subject}`}>
            <details>
              <summary>
                <time dateTime={createdAt}>{printTime(createdAt)}</time> <strong>{to}</strong> {subject}
              </summary>
              <pre class="code mail">{text}</pre>
            </details>
          </li>
        ))}
      </ol>
    </section>
  )
}

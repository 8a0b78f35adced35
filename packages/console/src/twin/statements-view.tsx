// The SQL of a request, with its times and the plans of the database (`GET /metrics/statements`). Only for the role admin.

import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { client, type Failure, failureOf } from '../api/client.ts'
import { type SentRequest, sentRequests, statementsPath } from '../api/requests.ts'
import { FailureNote } from '../page/failure-note.tsx'
import { texts } from '../texts.ts'

interface RecordedStatement {
  shape: string
  sql: string
  ms: number
  cached: boolean
  plan: string | null
}

interface StatementsViewProps {
  request: SentRequest
  /** The request was sent again, under this number. */
  onSent(number: number): void
}

export function StatementsView({ request, onSent }: StatementsViewProps) {
  const statements = useSignal<readonly RecordedStatement[] | null>(null)
  const failure = useSignal<Failure | null>(null)
  const { id, isRecorded, method } = request
  useEffect(() => {
    if (!isRecorded) return
    void load(id!).then(
      (found) => {
        statements.value = found
      },
      (error: unknown) => {
        failure.value = failureOf(error)
      },
    )
  }, [])
  const sendAgain = async () => {
    const last = sentRequests.value[0]?.number ?? 0
    const headers = { ...request.headers, 'if-none-match': '"none"' } // the page has the answer already
    try {
      await client.rest.get(request.target, { headers })
    } catch (error) {
      failure.value = failureOf(error)
    }
    const sent = sentRequests.value.find(({ number, target }) => number > last && target === request.target)
    if (sent !== undefined) onSent(sent.number)
  }
  return (
    <div class="statements">
      <FailureNote failure={failure.value} />
      {!isRecorded && <p class="note">{texts.notRecorded}</p>}
      {!isRecorded && method === 'GET' && (
        <button type="button" class="button" onClick={() => void sendAgain()}>
          {texts.sendWithSql}
        </button>
      )}
      {statements.value?.length === 0 && <p class="note">{texts.noStatements}</p>}
      <ol>
        {statements.value?.map(({ shape, sql, ms, cached, plan }, index) => (
          <li key={index}>
            <strong>{shape}</strong> <span class="dim">{cached ? texts.fromCache : `${ms} ms`}</span>
            <pre class="code">{sql}</pre>
            {plan !== null && (
              <>
                <span class="dim">{texts.plan}</span>
                <pre class="code">{plan}</pre>
              </>
            )}
          </li>
        ))}
      </ol>
    </div>
  )
}

async function load(id: string): Promise<readonly RecordedStatement[]> {
  const { data } = await client.rest.get<RecordedStatement[]>(`${statementsPath}?request=${encodeURIComponent(id)}`)
  return data!
}

// The last attempts of a delivery or of a job, the newest first.

import { printTime } from '../../rows/cell.tsx'
import { operationTexts as texts } from '../operation-texts.ts'

export interface Attempt {
  at: string
  took: number
  error: string | null
  /** Of a delivery. */
  status?: number | null
  answer?: string | null
}

export function Attempts({ attempts }: { attempts: readonly Attempt[] }) {
  if (attempts.length === 0) return <p class="dim">{texts.noAttempts}</p>
  return (
    <ol>
      {attempts.toReversed().map(({ at, took, error, status, answer }) => (
        <li key={at}>
          <time dateTime={at}>{printTime(at)}</time> {texts.milliseconds(took)} {status != null && texts.status(status)}{' '}
          {error !== null && <span class="denied">{error}</span>}
          {answer != null && answer !== '' && <pre class="code">{answer}</pre>}
        </li>
      ))}
    </ol>
  )
}

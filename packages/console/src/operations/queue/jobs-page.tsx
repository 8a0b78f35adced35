// Background jobs: what waits, runs, is done or has failed, with the last attempts; run again, or cancel.

import { texts as common } from '../../texts.ts'
import { operationTexts as texts } from '../operation-texts.ts'
import { type QueuedRow, QueueList } from './queue-list.tsx'

interface JobRow extends QueuedRow {
  name: string
  key: string | null
  payload: unknown
  by: string | null
  dueAt: string
  tries: number
}

export function JobsPage() {
  return (
    <section class="operations" aria-label={common.jobs}>
      <h2>{common.jobs}</h2>
      <QueueList<JobRow>
        typeName="BackgroundJob"
        path="background-jobs"
        title={({ name, key, tries }) => [name, key, tries > 1 ? texts.tries(tries) : null].filter(Boolean).join(' · ')}
        nextAt={({ state, dueAt }) => (state === 'WAITING' ? dueAt : null)}
        actions={{ WAITING: texts.runAgain, CANCELLED: texts.cancel }}
      >
        {({ by, payload }) => (
          <>
            {by !== null && (
              <p class="dim">
                {common.by} {by}
              </p>
            )}
            <pre class="code">{JSON.stringify(payload, null, 2)}</pre>
          </>
        )}
      </QueueList>
    </section>
  )
}

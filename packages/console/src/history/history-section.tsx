// The place of the history in the form of a row. The history itself is loaded when somebody opens it.

import { useSignal } from '@preact/signals'
import type { TypeModel } from '../api/model.ts'
import type { Row } from '../api/row.ts'
import { lazy } from '../page/lazy.tsx'
import { texts } from '../texts.ts'

const RowHistory = lazy(async () => (await import('./row-history.tsx')).RowHistory)

export function HistorySection({ type, row }: { type: TypeModel; row: Row }) {
  const isOpen = useSignal(false)
  if (type.kind !== 'rows') return null // the server logs no changes of other types
  return (
    <details
      onToggle={(event) => {
        isOpen.value = event.currentTarget.open
      }}
    >
      <summary>{texts.history}</summary>
      {isOpen.value && <RowHistory key={String(row._version)} type={type} row={row} />}
    </details>
  )
}

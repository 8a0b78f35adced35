// The place of the explained rights in the form of a row. They are loaded when somebody opens them.

import { useSignal } from '@preact/signals'
import type { TypeModel } from '../api/model.ts'
import type { Row } from '../api/row.ts'
import { lazy } from '../page/lazy.tsx'
import { texts } from '../texts.ts'
import { mayExplain } from './access.ts'

const RowAccessView = lazy(async () => (await import('./row-access-view.tsx')).RowAccessView)

export function AccessSection({ type, row }: { type: TypeModel; row: Row }) {
  const isOpen = useSignal(false)
  if (!mayExplain(type)) return null
  return (
    <details
      onToggle={(event) => {
        isOpen.value = event.currentTarget.open
      }}
    >
      <summary>{texts.access}</summary>
      {isOpen.value && <RowAccessView key={String(row._version)} type={type} row={row} />}
    </details>
  )
}

// What can be done with a whole row: duplicate it, copy its id or its link.

import { useSignal } from '@preact/signals'
import { go, linkTo } from '../address/address.ts'
import type { TypeModel } from '../api/model.ts'
import { type Row, referredBy } from '../api/row.ts'
import { texts } from '../texts.ts'
import { copyText } from './copy-text.ts'
import { draftOf, setField } from './drafts.ts'
import { newRowTarget } from './new-row.ts'
import { writtenValue } from './written-value.ts'

export function RowActions({ type, row, query }: { type: TypeModel; row: Row; query: string }) {
  const isCopied = useSignal(false)
  const copy = async (text: string) => {
    await copyText(text)
    isCopied.value = true
  }
  const mayDuplicate = type.create !== 'none' && type.kind === 'rows'
  const reason = draftOf(type.path, null) === undefined ? null : texts.duplicateFirst
  return (
    <div class="actions">
      {mayDuplicate && (
        <button
          type="button"
          class="button"
          disabled={reason !== null}
          title={reason ?? undefined}
          onClick={() => duplicate(type, row, query)}
        >
          {texts.duplicate}
        </button>
      )}
      <button type="button" class="button" onClick={() => void copy(row.id)}>
        {texts.copyId}
      </button>
      <button type="button" class="button" onClick={() => void copy(location.origin + linkTo([type.path, row.id]))}>
        {texts.copyLink}
      </button>
      <span role="status" class="dim">
        {isCopied.value ? texts.copied : ''}
      </span>
    </div>
  )
}

/** A new row that begins with the values of this one. Nothing is written before it is saved. */
function duplicate(type: TypeModel, row: Row, query: string): void {
  const target = newRowTarget(type)
  for (const field of type.fields) {
    const value = row[field.name]
    if (field.create === 'none' || field.kind === 'list' || field.transitions !== undefined) continue
    if (value === null || value === undefined) continue
    setField(target, field.name, null, writtenValue(field, value), referredBy(field, value)?.label)
  }
  go([type.path, '+new'], query)
}

// The editor of one cell. Enter keeps the value and goes down, Tab goes right, Escape leaves the cell as it was. What is kept becomes a
// part of the draft of its row, like a change in the form.

import { useSignal } from '@preact/signals'
import { useId, useLayoutEffect, useRef } from 'preact/hooks'
import { type TypeModel, titleOf } from '../api/model.ts'
import { type Row, referredBy } from '../api/row.ts'
import type { Column } from '../rows/rows-query.ts'
import { draftOf, setField, setUnparsed, targetOf } from './drafts.ts'
import { parseText, printText } from './typed-text.ts'
import { ValueControl } from './value-control.tsx'
import { writtenValue } from './written-value.ts'

/** Where the focus goes after an edit. */
export type EditEnd = 'stay' | 'down' | 'right' | 'left' | 'elsewhere'

interface CellEditorProps {
  type: TypeModel
  row: Row
  column: Column
  /** The key that began the edit and replaces the value; null: the value stays. */
  typed: string | null
  onEnd(end: EditEnd): void
}

export function CellEditor({ type, row, column: { field }, typed, onEnd }: CellEditorProps) {
  const box = useRef<HTMLDivElement>(null)
  const id = useId()
  const draft = draftOf(type.path, row.id)
  const before = writtenValue(field, row[field.name])
  const isChanged = draft !== undefined && Object.hasOwn(draft.changes, field.name)
  const start = isChanged ? draft.changes[field.name] : before
  const value = useSignal(start)
  const text = useSignal(typed ?? draft?.unparsed[field.name] ?? printText(field, start))
  const isOver = useRef(false)
  useLayoutEffect(() => {
    const control = box.current!.querySelector<HTMLElement>('input, select, textarea')!
    control.focus()
    if (control instanceof HTMLInputElement && typed === null && control.type === 'text') control.select()
  }, [])

  const end = (isKept: boolean, next: EditEnd) => {
    if (isOver.current) return
    isOver.current = true
    if (isKept) keep()
    onEnd(next)
  }
  const keep = () => {
    const target = targetOf(type, row)
    if (field.kind === 'reference') return
    const parsed = parseText(field, text.value)
    const isText = text.value !== printText(field, value.value)
    if (!isText) setField(target, field.name, before, value.value)
    else if ('value' in parsed) setField(target, field.name, before, parsed.value)
    else setUnparsed(target, field.name, text.value)
  }
  const label = (isChanged ? draft.labels[field.name] : referredBy(field, row[field.name])?.label) ?? ''
  return (
    <div
      ref={box}
      class="cell-editor"
      role="group"
      aria-label={titleOf(field.name)}
      onKeyDown={(event) => {
        const isSave = event.key === 's' && (event.ctrlKey || event.metaKey)
        if (isSave) return end(true, 'stay') // and the bar saves
        event.stopPropagation()
        const next = event.key === 'Enter' ? 'down' : event.key === 'Tab' ? (event.shiftKey ? 'left' : 'right') : null
        if (event.key === 'Escape') end(false, 'stay')
        else if (next !== null && !event.ctrlKey && !event.metaKey) end(true, next)
        else return
        event.preventDefault()
      }}
      onFocusOut={(event) => {
        if (!box.current?.contains(event.relatedTarget as Node | null)) end(true, 'elsewhere')
      }}
    >
      <ValueControl
        {...{ field, label }}
        value={value.value}
        text={text.value}
        common={{ id, 'aria-label': titleOf(field.name), 'aria-invalid': false }}
        onText={(next) => {
          text.value = next
        }}
        onValue={(next, picked) => {
          value.value = next
          text.value = printText(field, next)
          if (field.kind !== 'reference') return
          setField(targetOf(type, row), field.name, before, next, picked)
          end(false, 'stay')
        }}
      />
    </div>
  )
}

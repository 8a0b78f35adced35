// Picks a row by its label: a combobox (ARIA Authoring Practices) that searches as one types and never loads a whole list.

import { useSignal } from '@preact/signals'
import { useId, useLayoutEffect, useRef } from 'preact/hooks'
import { client, type Failure, failureOf } from '../api/client.ts'
import { type FieldModel, fieldNamed, pageSize, type TypeModel, typeNamed } from '../api/model.ts'
import { labelOf, type Row } from '../api/row.ts'
import { FailureNote } from '../page/failure-note.tsx'
import { texts } from '../texts.ts'

const maxHits = 20

interface PickerProps {
  field: FieldModel
  /** The label of the picked row; empty: none. */
  shown: string
  /** The attributes of the input. */
  common: { id: string; 'aria-label'?: string; 'aria-describedby'?: string; 'aria-invalid': boolean }
  /** What is typed replaces what was picked, and is taken as an id if no row matches it. Without it, what is not picked is forgotten. */
  takesId?: boolean
  /** An empty id: nothing is picked. */
  onPick(id: string, label: string): void
}

export function ReferencePicker({ field, shown, common, takesId = false, onPick }: PickerProps) {
  const listId = useId()
  const typed = useSignal<string | null>(null)
  const hits = useSignal<readonly Row[] | null>(null)
  const active = useSignal(0)
  const failure = useSignal<Failure | null>(null)
  const requests = useRef(0)
  const optionId = (index: number) => `${listId}-${index}`
  const isOpen = hits.value !== null && hits.value.length > 0
  const activeId = isOpen ? optionId(active.value) : undefined
  useScrollTo(activeId)
  const type = typeNamed(field.type)
  if (type === undefined)
    return <input {...common} value={shown} onInput={(event) => pickText(event.currentTarget.value)} />

  function pickText(text: string): void {
    onPick(text, text)
  }
  const search = async (text: string) => {
    const request = ++requests.current
    const isCurrent = () => request === requests.current
    try {
      const { data } = await client.rest.get<Row[]>(`/${type.path}?${searchQuery(type, text)}`)
      if (isCurrent()) show(text, data!)
    } catch (error) {
      if (!isCurrent()) return
      hits.value = null
      failure.value = failureOf(error)
    }
  }
  const show = (text: string, rows: readonly Row[]) => {
    failure.value = null
    if (takesId && rows.length === 0) pickText(text.trim())
    const isLeft = document.activeElement?.id !== common.id
    if (isLeft && rows.length > 0) return
    hits.value = rows
    active.value = 0
  }
  /** The note stays: without it, what is below would move away under the pointer that leaves the input. */
  const hide = () => {
    if (isOpen) hits.value = null
  }
  const close = () => {
    requests.current++
    hits.value = null
    typed.value = null
    failure.value = null
  }
  const pick = (row: Row) => {
    onPick(type.kind === 'abstract' ? `${row._type}:${row.id}` : row.id, labelOf(type, row))
    close()
  }
  const onKeyDown = (event: KeyboardEvent) => {
    const rows = hits.value
    if (event.key === 'ArrowDown' && rows === null) void search(typed.value ?? '')
    else if (rows === null) return
    else if (event.key === 'ArrowDown') active.value = Math.min(rows.length - 1, active.value + 1)
    else if (event.key === 'ArrowUp') active.value = Math.max(0, active.value - 1)
    else if (event.key === 'Enter' && rows[active.value]) pick(rows[active.value]!)
    else if (event.key === 'Escape') close()
    else return
    event.preventDefault()
    event.stopPropagation()
  }
  return (
    <div class="picker">
      <input
        {...common}
        role="combobox"
        aria-expanded={isOpen}
        aria-controls={listId}
        aria-autocomplete="list"
        aria-activedescendant={activeId}
        placeholder={texts.pickerHint}
        autocomplete="off"
        value={typed.value ?? shown}
        onInput={({ currentTarget: { value } }) => {
          typed.value = value
          if (takesId) pickText('')
          void search(value)
        }}
        onKeyDown={onKeyDown}
        onBlur={takesId ? hide : close}
      />
      <div id={listId} role="listbox" aria-label={field.name} class="hits" hidden={!isOpen}>
        {hits.value?.map((row, index) => (
          <div
            key={row.id}
            id={optionId(index)}
            role="option"
            aria-selected={index === active.value}
            onPointerDown={(event) => {
              event.preventDefault()
              pick(row)
            }}
          >
            {labelOf(type, row)} <span class="dim">{row.id}</span>
          </div>
        ))}
      </div>
      {hits.value?.length === 0 && (
        <p role="status" class="note">
          {takesId ? texts.takenAsId : texts.noHits}
        </p>
      )}
      <FailureNote failure={failure.value} />
    </div>
  )
}

/** Keeps the option in view that the arrow keys lead to. */
export function useScrollTo(id: string | undefined): void {
  useLayoutEffect(() => {
    if (id !== undefined) document.getElementById(id)?.scrollIntoView({ block: 'nearest' })
  }, [id])
}

/** By the words of `@search`, or by the label; else the first rows. */
function searchQuery(type: TypeModel, text: string): string {
  const names = ['id', ...(type.label === null ? [] : [type.label]), ...(type.kind === 'abstract' ? ['_type'] : [])]
  const query = new URLSearchParams({ limit: String(pageSize(maxHits)), fields: names.join(',') })
  const label = type.label === null ? undefined : fieldNamed(type, type.label)
  if (label?.sort) query.set('sort', label.name)
  if (text.trim() === '') return query.toString()
  if (label?.operators.includes('icontains')) query.set(`${label.name}[icontains]`, text.trim())
  else if (type.search) query.set('search', text.trim())
  else query.set('id', text.trim())
  return query.toString()
}

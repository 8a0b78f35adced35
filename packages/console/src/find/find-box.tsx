// The box of Ctrl+K: a combobox (ARIA Authoring Practices) over types and rows.

import { useSignal } from '@preact/signals'
import { useEffect, useId, useLayoutEffect, useRef } from 'preact/hooks'
import { go } from '../address/address.ts'
import { useScrollTo } from '../edit/reference-picker.tsx'
import { texts } from '../texts.ts'
import { findOperations, findPages, findRows, findTypes, type Hit } from './find-rows.ts'

/** Rows are searched after a short pause of typing. */
const pauseMs = 150

export function FindBox({ onClose }: { onClose(): void }) {
  const dialog = useRef<HTMLDialogElement>(null)
  const listId = useId()
  const text = useSignal('')
  const rows = useSignal<readonly Hit[]>([])
  const active = useSignal(0)
  const before = useRef(document.activeElement)
  useLayoutEffect(() => {
    dialog.current!.showModal()
    return () => (before.current as HTMLElement | null)?.focus?.()
  }, [])
  useEffect(() => {
    let isOver = false
    const timer = setTimeout(async () => {
      const found = await findRows(text.value)
      if (!isOver) rows.value = found
    }, pauseMs)
    return () => {
      isOver = true
      clearTimeout(timer)
    }
  }, [text.value])
  const hits = [...findTypes(text.value), ...findPages(text.value), ...findOperations(text.value), ...rows.value]
  const chosen = Math.min(active.value, hits.length - 1)
  const chosenId = chosen < 0 ? undefined : `${listId}-${chosen}`
  useScrollTo(chosenId)
  const open = ({ steps }: Hit) => {
    onClose()
    go(steps)
  }
  const onKeyDown = (event: KeyboardEvent) => {
    event.stopPropagation()
    if (event.key === 'ArrowDown') active.value = Math.min(hits.length - 1, chosen + 1)
    else if (event.key === 'ArrowUp') active.value = Math.max(0, chosen - 1)
    else if (event.key === 'Enter' && hits[chosen] !== undefined) open(hits[chosen])
    else return
    event.preventDefault()
  }
  return (
    <dialog ref={dialog} class="find" aria-label={texts.find} onCancel={onClose} onKeyDown={onKeyDown}>
      <input
        role="combobox"
        aria-expanded="true"
        aria-controls={listId}
        aria-autocomplete="list"
        aria-activedescendant={chosenId}
        aria-label={texts.find}
        placeholder={texts.find}
        autocomplete="off"
        value={text.value}
        onInput={(event) => {
          text.value = event.currentTarget.value
          active.value = 0
        }}
      />
      <div id={listId} role="listbox" aria-label={texts.find} class="hits-list">
        {hits.map((hit, index) => (
          <div
            key={hit.steps.join('/')}
            id={`${listId}-${index}`}
            role="option"
            aria-selected={index === chosen}
            onClick={() => open(hit)}
          >
            {hit.label} <span class="dim">{hit.type ?? texts.type}</span>
          </div>
        ))}
      </div>
      <p role="status" class="note">
        {hits.length === 0 ? texts.noHits : texts.hits(hits.length)}
      </p>
    </dialog>
  )
}

// Ctrl+K or Cmd+K, from anywhere: finds a type by its name, and rows by their labels or words. So does `/` where no table has a box for
// words. The box itself is loaded when it is first opened.

import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { lazy } from '../page/lazy.tsx'

const FindBox = lazy(async () => (await import('./find-box.tsx')).FindBox)

export function Finder() {
  const isOpen = useSignal(false)
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      const isModified = event.ctrlKey || event.metaKey
      const isFirst = event.eventPhase === Event.CAPTURING_PHASE // before a cell or a dialog keeps the key to itself
      const isFind = isFirst && event.key.toLowerCase() === 'k' && isModified && !event.shiftKey && !event.altKey
      const isSlash = !isFirst && event.key === '/' && !isModified && !event.defaultPrevented && !isTyping(event.target)
      if (!isFind && (!isSlash || document.querySelector(searchBox) !== null)) return
      event.preventDefault()
      isOpen.value = document.querySelector(busyDialog) === null
    }
    for (const isCapturing of [true, false]) document.addEventListener('keydown', onKey, isCapturing)
    return () => {
      for (const isCapturing of [true, false]) document.removeEventListener('keydown', onKey, isCapturing)
    }
  }, [])
  return isOpen.value ? <FindBox onClose={() => (isOpen.value = false)} /> : null
}

/** One that writes many rows: its page stays until its outcome is there. */
const busyDialog = 'dialog[aria-busy=true]'

const searchBox = '.toolbar input[type=search]'

export function isTyping(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && target.matches('input, textarea, select, [contenteditable]')
}

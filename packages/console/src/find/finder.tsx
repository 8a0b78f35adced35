// Ctrl+K or Cmd+K, from anywhere: finds a type by its name, and rows by their labels or words. The box itself is loaded when it is first
// opened.

import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { lazy } from '../page/lazy.tsx'

const FindBox = lazy(async () => (await import('./find-box.tsx')).FindBox)

export function Finder() {
  const isOpen = useSignal(false)
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.key.toLowerCase() !== 'k' || !(event.ctrlKey || event.metaKey) || event.shiftKey || event.altKey) return
      event.preventDefault()
      isOpen.value = true
    }
    document.addEventListener('keydown', onKey)
    return () => document.removeEventListener('keydown', onKey)
  }, [])
  return isOpen.value ? <FindBox onClose={() => (isOpen.value = false)} /> : null
}

// Opens the drawer with the requests of the page, which is loaded then.

import { useSignal } from '@preact/signals'
import { lazy } from '../page/lazy.tsx'
import { texts } from '../texts.ts'

const TwinDrawer = lazy(async () => (await import('./twin-drawer.tsx')).TwinDrawer)

export function TwinButton() {
  const isOpen = useSignal(false)
  const toggle = () => {
    isOpen.value = !isOpen.value
  }
  return (
    <>
      <button type="button" class="button" aria-expanded={isOpen.value} onClick={toggle}>
        {texts.requests}
      </button>
      {isOpen.value && <TwinDrawer onClose={toggle} />}
    </>
  )
}

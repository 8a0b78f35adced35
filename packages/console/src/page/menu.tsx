// A button that opens a small form below it. Escape, a click elsewhere and Tab out of it close it.

import { useSignal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { useEffect, useRef } from 'preact/hooks'

interface MenuProps {
  title: ComponentChildren
  children: (close: () => void) => ComponentChildren
}

export function Menu({ title, children }: MenuProps) {
  const details = useRef<HTMLDetailsElement>(null)
  const isOpen = useSignal(false)
  const close = () => {
    const element = details.current!
    const hadFocus = element.contains(document.activeElement)
    element.open = false
    if (hadFocus) element.querySelector('summary')!.focus()
  }
  const closeIfLeft = () => {
    if (details.current?.contains(document.activeElement) === false) details.current.open = false
  }
  useEffect(() => {
    const onPointer = (event: Event) => {
      // What was pressed may be gone by now, such as a hit of a picker.
      if (!event.composedPath().includes(details.current!)) details.current!.open = false
    }
    document.addEventListener('pointerdown', onPointer)
    return () => document.removeEventListener('pointerdown', onPointer)
  }, [])
  return (
    <details
      ref={details}
      class="menu"
      onToggle={() => {
        isOpen.value = details.current!.open
      }}
      onKeyDown={(event) => {
        if (event.key === 'Tab') setTimeout(closeIfLeft)
        if (event.key !== 'Escape') return
        event.stopPropagation()
        close()
      }}
    >
      <summary class="button">{title}</summary>
      {isOpen.value && (
        <div ref={stayInView} class="menu-body">
          {children(close)}
        </div>
      )}
    </details>
  )
}

/** Moves to the left as far as the right has no room, also as it grows. */
function stayInView(body: HTMLDivElement | null): void {
  if (body === null) return
  new ResizeObserver(() => {
    body.style.translate = 'none'
    const { left, right } = body.getBoundingClientRect()
    const missing = Math.min(right + edge - document.documentElement.clientWidth, left - edge)
    if (missing > 0) body.style.translate = `${-missing}px`
  }).observe(body)
}

/** Pixels between a menu and the edge of the page. */
const edge = 8

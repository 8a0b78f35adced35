// A part of the page that scrolls by itself, also with the keyboard.

import type { ComponentChildren } from 'preact'

interface ScrolledProps {
  label: string
  class?: string
  children: ComponentChildren
}

export function Scrolled({ label, class: name = 'scrolled', children }: ScrolledProps) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: otherwise the keyboard could not scroll it
    <section class={name} tabIndex={0} aria-label={label}>
      {children}
    </section>
  )
}

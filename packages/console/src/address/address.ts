// The address bar: `/console/posts?status=PUBLISHED` shows what `GET /posts?status=PUBLISHED` returns.

import { signal } from '@preact/signals'
import { base } from '../api/base.ts'

export interface Address {
  /** The path below `/console`, decoded: `['posts', 'p1', 'comments']`. */
  steps: readonly string[]
  query: string
}

const root = `${base}/console`

export const address = signal<Address>(readAddress())

addEventListener('popstate', () => {
  address.value = readAddress()
})

/** The console's own links change the address without loading the page. */
document.addEventListener('click', (event) => {
  const link = (event.target as Element).closest('a')
  const isPlain = event.button === 0 && !event.metaKey && !event.ctrlKey && !event.shiftKey && !event.altKey
  if (link === null || !isPlain || link.target !== '' || !link.pathname.startsWith(root)) return
  event.preventDefault()
  show(link.pathname.slice(root.length) + link.search)
})

export function linkTo(steps: readonly string[], query = ''): string {
  return root + pathOf(steps, query)
}

export function go(steps: readonly string[], query = ''): void {
  show(pathOf(steps, query))
}

/** Like `go`, without an entry in the history. */
export function replaceAddress(steps: readonly string[], query = ''): void {
  history.replaceState(null, '', root + pathOf(steps, query))
  address.value = readAddress()
}

function pathOf(steps: readonly string[], query: string): string {
  return steps.map((step) => `/${encodeURIComponent(step)}`).join('') + (query === '' ? '' : `?${query}`)
}

function show(path: string): void {
  history.pushState(null, '', root + path)
  address.value = readAddress()
}

function readAddress(): Address {
  const steps = location.pathname
    .slice(root.length)
    .split('/')
    .filter((step) => step !== '')
  return { steps: steps.map(decodeStep), query: location.search.slice(1) }
}

function decodeStep(step: string): string {
  try {
    return decodeURIComponent(step)
  } catch {
    return step // a percent sign that encodes nothing
  }
}

// The whole page.

import { signal } from '@preact/signals'

const title = signal('Console')

export function App() {
  return <h1>{title}</h1>
}

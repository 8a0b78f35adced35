// Parts of the console that few visits need: each is a file of its own, which the browser loads when the part is first shown.

import { useSignal } from '@preact/signals'
import type { ComponentType } from 'preact'
import { useEffect } from 'preact/hooks'
import { texts } from '../texts.ts'

export function lazy<Props extends object>(load: () => Promise<ComponentType<Props>>): ComponentType<Props> {
  let loading: Promise<ComponentType<Props>> | null = null
  return function Lazy(props: Props) {
    const part = useSignal<{ Part: ComponentType<Props> } | null>(null)
    const isFailed = useSignal(false)
    useEffect(() => {
      loading ??= load()
      loading.then(
        (Part) => {
          part.value = { Part }
        },
        () => {
          loading = null // the next visit tries again
          isFailed.value = true
        },
      )
    }, [])
    if (part.value !== null) return <part.value.Part {...props} />
    return <p role="status">{isFailed.value ? texts.partFailed : texts.loading}</p>
  }
}

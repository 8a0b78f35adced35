// Watches that outlive a render. A component that suspends before its first mount loses its state. So its watch is retained
// here, by the key of its query, until the component mounts.
//
// 1. A watch that no component mounts is released after a timeout: the component may never mount.
// 2. A mount takes the watch over, and the last unmount ends it. This happens a moment later, since React may unmount and
//    mount again in one turn (strict mode), which must not send a second request.
// 3. A failed watch is released in the next turn: React renders a component that throws once more before it gives up, and an
//    error boundary that is reset must send a new request.

import type { Client } from '../client/client.ts'
import type { Policies } from '../client/options.ts'
import type { Watch } from '../client/watch.ts'

type AnyWatch = Watch<unknown, Record<string, unknown>>

const unmountedTimeoutMs = 30_000

export class RetainedWatch {
  readonly watch: AnyWatch
  readonly #release: () => void
  #stop: (() => void) | null = null
  #ready: Promise<void> | null = null
  #timer: ReturnType<typeof setTimeout> | undefined
  #mounts = 0

  constructor(watch: AnyWatch, release: () => void) {
    this.watch = watch
    this.#release = release
    this.#expire(unmountedTimeoutMs)
  }

  /** Starts the watch. Resolves when there is data or an error. */
  ready(): Promise<void> {
    this.#ready ??= new Promise((resolve) => {
      this.#stop = this.watch.subscribe(({ data, error, loading }) => {
        if (!loading || data !== undefined || error !== undefined) resolve()
      })
    })
    return this.#ready
  }

  failed(): void {
    if (this.#mounts === 0) this.#expire(0)
  }

  mount(listener: () => void): () => void {
    this.#mounts++
    clearTimeout(this.#timer)
    const leave = this.watch.subscribe(listener)
    return () => {
      this.#mounts--
      queueMicrotask(leave)
      if (this.#mounts === 0) this.#expire(0)
    }
  }

  #expire(milliseconds: number): void {
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => {
      if (this.#mounts > 0) return
      this.#release()
      this.#stop?.()
    }, milliseconds)
    // The timer does not keep a rendering server's process alive.
    ;(this.#timer as { unref?: () => void }).unref?.()
  }
}

const watchesByClient = /* @__PURE__ */ new WeakMap<Client, Map<string, RetainedWatch>>()

export function retainWatch(client: Client, key: string, open: () => AnyWatch): RetainedWatch {
  const retained = watchesByClient.get(client) ?? new Map<string, RetainedWatch>()
  watchesByClient.set(client, retained)
  const existing = retained.get(key)
  if (existing !== undefined) return existing
  const created = new RetainedWatch(open(), () => retained.get(key) === created && retained.delete(key))
  retained.set(key, created)
  return created
}

export const keyOf = (bound: string, { fetchPolicy, errorPolicy }: Policies): string =>
  `${fetchPolicy} ${errorPolicy} ${bound}`

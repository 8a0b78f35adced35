// Watches that outlive a render. A component that suspends before it was ever shown loses all that it remembered, so the watch
// that it waits for is held here, by what it asks, until the component is there.
//
// 1. A watch that nobody has mounted is let go after a while: the component may never come.
// 2. To mount takes it over; when the last that mounted it leaves, it ends. A moment later, since React may leave and come back
//    in one turn (strict mode), which must not ask the server twice.
// 3. One that failed is let go in the next turn: React renders what throws once more before it gives up, and a boundary that
//    is reset must ask anew.

import type { Client } from '../client/client.ts'
import type { Policies } from '../client/options.ts'
import type { Watch } from '../client/watch.ts'

type AnyWatch = Watch<unknown, Record<string, unknown>>

const longestWait = 30_000

export class HeldWatch {
  readonly watch: AnyWatch
  readonly #letGo: () => void
  #stop: (() => void) | null = null
  #ready: Promise<void> | null = null
  #timer: ReturnType<typeof setTimeout> | undefined
  #mounts = 0

  constructor(watch: AnyWatch, letGo: () => void) {
    this.watch = watch
    this.#letGo = letGo
    this.#expire(longestWait)
  }

  /** Resolves when there is something to show; starts it. */
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
      this.#letGo()
      this.#stop?.()
    }, milliseconds)
    // A server that has rendered need not stay for it.
    ;(this.#timer as { unref?: () => void }).unref?.()
  }
}

const all = /* @__PURE__ */ new WeakMap<Client, Map<string, HeldWatch>>()

export function holdWatch(client: Client, key: string, open: () => AnyWatch): HeldWatch {
  const held = all.get(client) ?? new Map<string, HeldWatch>()
  all.set(client, held)
  const there = held.get(key)
  if (there !== undefined) return there
  const made = new HeldWatch(open(), () => held.get(key) === made && held.delete(key))
  held.set(key, made)
  return made
}

export const keyOf = (question: string, { fetchPolicy, errorPolicy }: Policies): string =>
  `${fetchPolicy} ${errorPolicy} ${question}`

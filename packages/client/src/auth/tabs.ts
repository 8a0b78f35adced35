// What the tabs of an origin do together: one of them renews the session at a time, and tells the others.
//
// Without `navigator.locks` (pages without https) tabs may renew at the same time. The server then gives both the same next
// refresh token, because it answers a repeated renewal alike for 30 s.

/** The part of `navigator.locks` that is used. With `ifAvailable` the lock is null while somebody else has it. */
interface Locks {
  request(
    name: string,
    options: { ifAvailable: true } | { signal: AbortSignal },
    run: (lock: object | null) => Promise<void>,
  ): Promise<void>
}

/** The part of BroadcastChannel that is used. */
interface Channel {
  postMessage(message: unknown): void
  onmessage: ((event: { data: unknown }) => void) | null
  close(): void
}

/** A tab that has been frozen may hold the lock. */
const maxLockWaitMs = 10_000

export class Tabs<Message> {
  readonly #name: string
  readonly #channel: Channel | null

  /** `isShared`: whether other tabs have the same session. */
  constructor(name: string, isShared: boolean, onMessage: (message: Message) => void) {
    this.#name = name
    const { BroadcastChannel } = globalThis as unknown as { BroadcastChannel?: new (name: string) => Channel }
    this.#channel = isShared && BroadcastChannel !== undefined ? new BroadcastChannel(name) : null
    if (this.#channel !== null) this.#channel.onmessage = ({ data }) => onMessage(data as Message)
  }

  /** Whether other tabs hear of changes. */
  get isConnected(): boolean {
    return this.#channel !== null
  }

  tell(message: Message): void {
    this.#channel?.postMessage(message)
  }

  /** Runs while no other tab does. `hasWaited`: another tab did so just now. */
  async exclusively(run: (hasWaited: boolean) => Promise<void>): Promise<void> {
    const { locks } = (globalThis as { navigator?: { locks?: Locks } }).navigator ?? {}
    if (this.#channel === null || locks === undefined) return run(false)
    let hasBegun = false
    const begin = (hasWaited: boolean) => {
      hasBegun = true
      return run(hasWaited)
    }
    await locks.request(this.#name, { ifAvailable: true }, async (lock) => (lock === null ? undefined : begin(false)))
    if (hasBegun) return
    const signal = AbortSignal.timeout(maxLockWaitMs)
    await locks
      .request(this.#name, { signal }, () => begin(true))
      .catch((error) => {
        if (hasBegun) throw error
        return run(true)
      })
  }

  close(): void {
    this.#channel?.close()
  }
}

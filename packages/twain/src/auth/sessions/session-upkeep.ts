// Notes which sessions and API keys are used, and saves the notes once a minute, in one write for all sessions and one for all
// keys: no request waits for a write.
// Once an hour it deletes sessions that expired long ago.
//
// 1. A use is known to the minute. A crash loses the notes of a minute; the last renewal is in the row anyway.
// 2. Notes that could not be saved are saved later. There are never more than `maxNotes`.

import { type Log, stackOf } from '#base'
import { clearInterval, setInterval } from '#base/time'
import type { CredentialStore, UsedCredential } from '#store'

const saveIntervalMs = 60_000
const deleteIntervalMs = 60 * 60_000
const keepExpiredMs = 24 * 60 * 60_000
const minuteMs = 60_000
const maxNotes = 100_000
const portion = 500

interface SessionUpkeepOptions {
  credentials: Pick<CredentialStore, 'recordUses' | 'deleteExpiredTokens'>
  log: Log
}

export class SessionUpkeep {
  readonly #options: SessionUpkeepOptions
  /** The minute of the last use, by the id of the session or key. */
  readonly #notes: Record<UsedCredential, Map<string, number>> = { token: new Map(), key: new Map() }
  #timers: NodeJS.Timeout[] = []
  #working: Promise<void> = Promise.resolve()

  constructor(options: SessionUpkeepOptions) {
    this.#options = options
  }

  note(of: UsedCredential, id: string, now: number): void {
    const notes = this.#notes[of]
    if (notes.size < maxNotes || notes.has(id)) notes.set(id, now - (now % minuteMs))
  }

  start(): void {
    this.#timers = [
      setInterval(() => void this.save(), saveIntervalMs).unref(),
      setInterval(() => void this.deleteExpired(), deleteIntervalMs).unref(),
    ]
  }

  /** Saves what is noted, and ends. */
  async stop(): Promise<void> {
    for (const timer of this.#timers) clearInterval(timer)
    await this.save()
  }

  save(): Promise<void> {
    this.#working = this.#working.then(() => this.#save('token')).then(() => this.#save('key'))
    return this.#working
  }

  async #save(of: UsedCredential): Promise<void> {
    const notes = this.#notes[of]
    this.#notes[of] = new Map()
    for (const [minute, used] of Map.groupBy(notes.keys(), (id) => notes.get(id)!)) {
      for (let at = 0; at < used.length; at += portion) {
        const ids = used.slice(at, at + portion)
        try {
          await this.#options.credentials.recordUses(of, ids, minute)
        } catch (error) {
          for (const id of ids) if (!this.#notes[of].has(id)) this.note(of, id, minute)
          this.#warn(error, `the last uses of ${of === 'token' ? 'sessions' : 'API keys'} could not be saved`)
        }
      }
    }
  }

  async deleteExpired(): Promise<void> {
    const { credentials } = this.#options
    try {
      while ((await credentials.deleteExpiredTokens(keepExpiredMs, portion)) === portion);
    } catch (error) {
      this.#warn(error, 'expired sessions could not be deleted')
    }
  }

  #warn(error: unknown, message: string): void {
    this.#options.log.warn({ 'exception.stacktrace': stackOf(error) }, message)
  }
}

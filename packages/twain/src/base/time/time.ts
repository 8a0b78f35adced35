// The one place where the server reads a clock, sets a timer or draws random bytes. Everything else imports these functions, and
// `npm run check` refuses `Date.now()`, the global timers and `node:crypto`'s random functions elsewhere. So a simulation can replace
// all of them at once, and services live through years in minutes.

import { randomFillSync as nodeRandomFill } from 'node:crypto'
import { uptime } from 'node:os'
import { setTimeout as nodeSleep } from 'node:timers/promises'

export interface TimeSource {
  /** Milliseconds since 1970, as the system's clock says: it can be wrong, and can jump. */
  wallTime(): number
  /** Milliseconds since some moment. No change of the system's clock affects it. */
  monotonicTime(): number
  /** Milliseconds for which the machine has slept, to about ten; only differences count. 0: `monotonicTime` has them. */
  sleptTime(): number
  setTimeout: typeof globalThis.setTimeout
  setInterval: typeof globalThis.setInterval
  /** Ends a timer of either kind. */
  clearTimer(timer: NodeJS.Timeout | undefined): void
  sleep(milliseconds: number, value?: undefined, options?: { signal?: AbortSignal; ref?: boolean }): Promise<void>
  /** A signal that aborts after this time. */
  timeoutSignal(milliseconds: number): AbortSignal
  fillRandom(bytes: Uint8Array): void
}

export const simulatedTime = Symbol.for('twain simulated time')

const system: TimeSource = {
  wallTime: () => Date.now(),
  monotonicTime: () => performance.now(),
  // On Linux the monotonic clock stands still while the machine sleeps; on macOS and Windows it goes on. In this order: if the process
  // is stopped between both, it has slept less, not more.
  sleptTime: () => (process.platform === 'linux' ? uptime() * 1000 - performance.now() : 0),
  // The global functions are looked up at each call, because tests replace them.
  setTimeout: ((...given: Parameters<typeof globalThis.setTimeout>) =>
    globalThis.setTimeout(...given)) as typeof globalThis.setTimeout,
  setInterval: ((...given: Parameters<typeof globalThis.setInterval>) =>
    globalThis.setInterval(...given)) as typeof globalThis.setInterval,
  clearTimer: (timer) => globalThis.clearTimeout(timer),
  sleep: nodeSleep,
  timeoutSignal: (milliseconds) => AbortSignal.timeout(milliseconds),
  fillRandom: (bytes) => void nodeRandomFill(bytes),
}

/** A simulation puts its own here before the server's code is loaded: a bundle has modules of its own, which nobody can import. */
const simulated = (globalThis as { [simulatedTime]?: TimeSource })[simulatedTime]

let source = simulated ?? system

/** Replaces all clocks, timers and random bytes of this thread; `null` puts the system's back. */
export function setTimeSource(other: TimeSource | null): void {
  source = other ?? simulated ?? system
}

export function wallTime(): number {
  return source.wallTime()
}

export function monotonicTime(): number {
  return source.monotonicTime()
}

export function sleptTime(): number {
  return source.sleptTime()
}

export const setTimeout = ((...given: Parameters<typeof globalThis.setTimeout>) =>
  source.setTimeout(...given)) as typeof globalThis.setTimeout

export const setInterval = ((...given: Parameters<typeof globalThis.setInterval>) =>
  source.setInterval(...given)) as typeof globalThis.setInterval

export function clearTimeout(timer: NodeJS.Timeout | undefined): void {
  source.clearTimer(timer)
}

export function clearInterval(timer: NodeJS.Timeout | undefined): void {
  source.clearTimer(timer)
}

export function sleep(
  milliseconds: number,
  value?: undefined,
  options?: { signal?: AbortSignal; ref?: boolean },
): Promise<void> {
  return source.sleep(milliseconds, value, options)
}

export function timeoutSignal(milliseconds: number): AbortSignal {
  return source.timeoutSignal(milliseconds)
}

export function randomFillSync<T extends Uint8Array>(bytes: T): T {
  source.fillRandom(bytes)
  return bytes
}

export function randomBytes(length: number): Buffer {
  return randomFillSync(Buffer.allocUnsafe(length))
}

export function randomUUID(): string {
  const bytes = randomBytes(16)
  bytes[6] = (bytes[6]! & 0x0f) | 0x40
  bytes[8] = (bytes[8]! & 0x3f) | 0x80
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
}

/** From 0 up to, but without, 1. */
export function randomFraction(): number {
  return randomBytes(6).readUIntBE(0, 6) / 2 ** 48
}

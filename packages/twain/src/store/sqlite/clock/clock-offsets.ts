// How far the wall clock was ahead of the age time (`age-time.ts`), and since when: a jump of the wall clock begins a new offset. So
// what has times of the wall clock is judged by a clock that never jumped while it was there.

export interface ClockOffset {
  /** By the age time that will have caught up. */
  since: number
  ahead: number
}

/** Smaller corrections of the system clock are usual. */
const minJumpMs = 5_000

const maxOffsets = 50

export class ClockOffsets {
  /** The last one is the present one. */
  readonly #all: ClockOffset[]

  constructor(all: readonly ClockOffset[]) {
    this.#all = [...all]
  }

  isJump(ahead: number): boolean {
    const last = this.#all.at(-1)
    return last === undefined || Math.abs(ahead - last.ahead) > minJumpMs
  }

  note(offset: ClockOffset): void {
    if (!this.isJump(offset.ahead)) return
    this.#all.push(offset)
    if (this.#all.length <= maxOffsets) return
    const [first, second] = this.#all
    this.#all.splice(0, 2, { since: first!.since, ahead: Math.min(first!.ahead, second!.ahead) })
  }

  /** The lowest one since then. */
  lowest(time: number): number {
    const since = this.#all.filter((_, n) => (this.#all[n + 1]?.since ?? Number.POSITIVE_INFINITY) > time)
    return Math.min(...since.map(({ ahead }) => ahead))
  }

  toStored(): readonly ClockOffset[] {
    return this.#all
  }
}

// Random choices that a seed repeats (mulberry32).

export class Random {
  #state: number

  constructor(seed: number) {
    this.#state = seed | 0
  }

  /** From 0 up to, but without, 1. */
  fraction(): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }

  chance(share: number): boolean {
    return this.fraction() < share
  }

  /** A whole number below `count`. */
  upTo(count: number): number {
    return Math.floor(this.fraction() * count)
  }

  /** A whole number, as often small as large: its logarithm is even. */
  between(least: number, most: number): number {
    return Math.round(least * (most / least) ** this.fraction())
  }

  pick<T>(from: readonly T[]): T {
    return from[this.upTo(from.length)]!
  }

  find<T>(from: readonly T[], fits: (one: T) => boolean): T | undefined {
    const fitting = from.filter(fits)
    return fitting.length === 0 ? undefined : this.pick(fitting)
  }
}

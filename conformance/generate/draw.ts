// Random choices of a property test, drawn from fast-check one by one, so that it can shrink a failure.

import fc, { type GeneratorValue } from 'fast-check'

export class Draw {
  readonly #value: GeneratorValue

  constructor(value: GeneratorValue) {
    this.#value = value
  }

  flip(): boolean {
    return this.#value(fc.boolean)
  }

  between(least: number, most: number): number {
    return this.#value(fc.integer, { min: least, max: most })
  }

  one<T>(items: readonly T[]): T {
    return items[this.between(0, items.length - 1)]!
  }

  /** Some of them, in a random order, none twice. */
  some<T>(items: readonly T[], least: number, most: number): T[] {
    const left = [...items]
    const count = this.between(least, Math.max(least, Math.min(most, items.length)))
    return Array.from({ length: count }, () => left.splice(this.between(0, left.length - 1), 1)[0]!)
  }

  /** Between `least` and `most` results of `make`. */
  many<T>(least: number, most: number, make: (index: number) => T): T[] {
    return Array.from({ length: this.between(least, most) }, (_, index) => make(index))
  }
}

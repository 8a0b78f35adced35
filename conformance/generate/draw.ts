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

  between(min: number, max: number): number {
    return this.#value(fc.integer, { min, max })
  }

  one<T>(items: readonly T[]): T {
    return items[this.between(0, items.length - 1)]!
  }

  /** Some of them, in a random order, none twice. */
  some<T>(items: readonly T[], min: number, max: number): T[] {
    const left = [...items]
    const count = this.between(min, Math.max(min, Math.min(max, items.length)))
    return Array.from({ length: count }, () => left.splice(this.between(0, left.length - 1), 1)[0]!)
  }

  /** Between `min` and `max` results of `make`. */
  many<T>(min: number, max: number, make: (index: number) => T): T[] {
    return Array.from({ length: this.between(min, max) }, (_, index) => make(index))
  }
}

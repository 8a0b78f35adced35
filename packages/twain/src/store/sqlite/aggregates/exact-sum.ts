// Adds exact decimals. Most numbers have few digits: they are added as doubles that hold whole numbers, and those are carried
// into a BigInt before they lose digits.

import { numberDigits, type Scaled } from '#base'

/** The decimals of `low`. */
const lowPlaces = 6
const powers = [1, 10, 100, 1000, 10_000, 100_000, 1_000_000]
const maxLow = 2 ** 52
/** Below a fourth of 2^53, so that `low` plus one number is a safe integer. */
const maxStep = 2 ** 51

export class ExactSum {
  /** Millionths that are not in `units` yet. */
  #low = 0
  #units = 0n
  #places = lowPlaces
  #isEmpty = true

  get isEmpty(): boolean {
    return this.#isEmpty
  }

  /** Adds the shortest decimal that is this double. */
  addDouble(value: number): void {
    this.#isEmpty = false
    const millionths = Math.round(value * 1e6)
    // Of at most 15 digits only one decimal is this double, so these are its digits.
    if (Math.abs(millionths) < 1e15 && millionths / 1e6 === value) this.#addLow(millionths)
    else this.#addDigits(numberDigits(value), 0)
  }

  /** Adds the number that follows the first blank, or the whole text. */
  addText(text: string): void {
    this.#isEmpty = false
    const from = text.indexOf(' ') + 1
    let digits = 0
    let places = -1
    const isNegative = text.charCodeAt(from) === minus
    for (let at = isNegative ? from + 1 : from; at < text.length; at++) {
      const code = text.charCodeAt(at)
      if (code === point) {
        places = 0
        continue
      }
      digits = digits * 10 + code - zero
      if (places >= 0) places++
    }
    const power = powers[lowPlaces - Math.max(places, 0)]
    if (power !== undefined && digits * power < maxStep) this.#addLow(isNegative ? -digits * power : digits * power)
    else this.#addDigits(text, from)
  }

  #addLow(millionths: number): void {
    this.#low += millionths
    if (Math.abs(this.#low) > maxLow) this.#carry()
  }

  #carry(): void {
    this.#units += BigInt(this.#low) * 10n ** BigInt(this.#places - lowPlaces)
    this.#low = 0
  }

  #addDigits(text: string, from: number): void {
    const at = text.indexOf('.', from)
    const places = at < 0 ? 0 : text.length - at - 1
    if (places > this.#places) {
      this.#units *= 10n ** BigInt(places - this.#places)
      this.#places = places
    }
    const digits = at < 0 ? text.slice(from) : text.slice(from, at) + text.slice(at + 1)
    this.#units += BigInt(digits) * 10n ** BigInt(this.#places - places)
  }

  value(): Scaled {
    this.#carry()
    return { units: this.#units, places: this.#places }
  }
}

const zero = 48
const minus = 45
const point = 46

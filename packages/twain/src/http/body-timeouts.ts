// Bodies on their way in. Bytes that come give their sender more time, so that a large file may take as long as its line
// needs, and one who drips is cut: each 128 KiB have their time. What is counted is time in which we wait for the sender;
// while nobody takes what has come, that is not its fault.

/** Bytes that have to come in the time that there is. */
const portion = 128 * 1024

export class BodyTimeout {
  /** Rounds in which nothing, or too little, has come. */
  waited = 0
  /** Whether it is the sender's turn. */
  isAwaited = true
  readonly tooSlow: () => void
  #missing = portion

  constructor(tooSlow: () => void) {
    this.tooSlow = tooSlow
  }

  came(bytes: number): void {
    this.#missing -= bytes
    if (this.#missing > 0) return
    this.#missing = portion
    this.waited = 0
  }
}

/** Rounds are counted and not milliseconds: a body that is there at once, as most are, never asks for the time. */
const rounds = 30

export class BodyTimeouts {
  readonly #open = new Set<BodyTimeout>()
  readonly #timer: NodeJS.Timeout

  /** `milliseconds` that a sender has for each portion. */
  constructor(milliseconds: number) {
    this.#timer = setInterval(() => this.#round(), milliseconds / rounds)
    this.#timer.unref()
  }

  begin(tooSlow: () => void): BodyTimeout {
    const arrival = new BodyTimeout(tooSlow)
    this.#open.add(arrival)
    return arrival
  }

  /** Also of one that has ended. */
  end(arrival: BodyTimeout): void {
    this.#open.delete(arrival)
  }

  close(): void {
    clearInterval(this.#timer)
  }

  #round(): void {
    for (const arrival of this.#open) {
      if (!arrival.isAwaited || ++arrival.waited < rounds) continue
      this.#open.delete(arrival)
      arrival.tooSlow()
    }
  }
}

// How late this machine is just now: an echo that goes the same ways as what is measured, again and again beside it. A promise
// of time is then held strictly on a quiet machine, and fairly on one with ten times the work.

import { setTimeout as pause } from 'node:timers/promises'

interface Echo {
  began: number
  ended: number
}

/** Milliseconds between echoes: few enough to be no load. */
const between = 10

export class MachineDelay {
  readonly #echoes: Echo[] = []
  #isOver = false

  /** Echoes for as long as the work takes. */
  static async beside<Result>(echo: () => Promise<unknown>, work: (lateness: MachineDelay) => Promise<Result>) {
    const lateness = new MachineDelay()
    const running = lateness.#run(echo)
    try {
      return await work(lateness)
    } finally {
      lateness.#isOver = true
      await running
    }
  }

  /** Milliseconds that the slowest echo took of those that were under way in this time, the pause before it being late too. */
  within(from: number, until: number): number {
    const beside = this.#echoes.filter(({ began, ended }) => began <= until && ended >= from)
    const now = performance.now()
    return Math.max(0, ...beside.map(({ began, ended }) => Math.min(now, ended) - began - between))
  }

  async #run(echo: () => Promise<unknown>): Promise<void> {
    while (!this.#isOver) {
      const one = { began: performance.now(), ended: Number.POSITIVE_INFINITY }
      this.#echoes.push(one)
      await pause(between)
      await echo()
      one.ended = performance.now()
    }
  }
}

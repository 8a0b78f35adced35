// Measures how slow this machine is at the moment: an echo takes the same path as what is measured, again and again beside it. A
// promise of time can then be checked strictly on a quiet machine, and fairly on a busy one.

import { setTimeout as pause } from 'node:timers/promises'

interface Echo {
  began: number
  ended: number
}

/** Milliseconds between echoes: enough to cause no load. */
const between = 10

export class MachineDelay {
  readonly #echoes: Echo[] = []
  #isOver = false

  /** Sends echoes until the work has ended. */
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

  /** Milliseconds of the slowest echo in this time, with the delay of its pause. */
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

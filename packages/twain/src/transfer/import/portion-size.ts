// How many rows the next portion has. A portion is one transaction, and other writes wait for it on SQLite: it should take a
// quarter of a second.

const targetMs = 250
const minRows = 1
/** PostgreSQL holds a lock for each id of a file, of some thousand that all transactions have. */
const maxRows = 1000
export const maxPortionBytes = 4 * 1024 * 1024

export class PortionSize {
  #rows = 50

  get rows(): number {
    return this.#rows
  }

  /** A portion of this many rows has taken this long. */
  took(rows: number, milliseconds: number): void {
    if (milliseconds > 2 * targetMs) this.halve()
    else if (milliseconds < targetMs / 2 && rows >= this.#rows) this.#rows = Math.min(maxRows, 2 * this.#rows)
  }

  /** False: it is as small as possible. */
  halve(): boolean {
    const halved = Math.max(minRows, Math.floor(this.#rows / 2))
    const isSmaller = halved < this.#rows
    this.#rows = halved
    return isSmaller
  }
}

// What the stages of a request took, for the header `Server-Timing` (W3C Server Timing). Each stage ends where it is marked.

export class Stages {
  readonly #began = performance.now()
  #last = this.#began
  #text = ''

  /** What was done since the mark before it was this. */
  mark(stage: string): void {
    const now = performance.now()
    this.#text += `${stage};dur=${(now - this.#last).toFixed(3)}, `
    this.#last = now
  }

  /** The value of the header, milliseconds each. */
  told(): string {
    return `${this.#text}total;dur=${(performance.now() - this.#began).toFixed(3)}`
  }
}

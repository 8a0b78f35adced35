// Replaces the signature markers of file URLs in results. A signature admits anyone who has it, so the store and its caches
// only ever hold markers.

import { andThen, type MaybePromise } from '#base'
import { type CustomCallResult, type PlanResult, signatureMarker } from '#plan'
import type { ChangeEvent } from '#store'

/** Gives the query string of a signed URL, `?` included. `variant` is that of a variant of the image, or empty. */
export type SignFile = (id: string, variant: string) => string

export class FileSigner {
  readonly #signFile: SignFile | undefined

  /** Without `signFile` there are no markers, and results stay as they are. */
  constructor(signFile: SignFile | undefined) {
    this.#signFile = signFile
  }

  signResult(result: MaybePromise<PlanResult>): MaybePromise<PlanResult> {
    return this.#signFile === undefined ? result : andThen(result, (one) => this.#sign(one))
  }

  signBatch(batch: PlanResult & { kind: 'batch' }): PlanResult & { kind: 'batch' } {
    return this.#signFile === undefined ? batch : { ...batch, answers: batch.answers.map((one) => this.#sign(one)) }
  }

  signCall(result: CustomCallResult): CustomCallResult {
    return signatureMarker.isIn(result.text) ? { ...result, text: this.#signText(result.text) } : result
  }

  signEvents(events: (ChangeEvent | null)[][]): (ChangeEvent | null)[][] {
    if (this.#signFile === undefined) return events
    for (const event of events.flat()) if (event?.text) event.text = this.#signText(event.text)
    return events
  }

  #sign(result: PlanResult): PlanResult {
    if (result.kind === 'deleted' || result.kind === 'bulk') return result
    if (result.kind === 'batch') return this.signBatch(result)
    if (result.text === null || !signatureMarker.isIn(result.text)) return result
    return { ...result, text: this.#signText(result.text) }
  }

  #signText(text: string): string {
    if (this.#signFile === undefined || !signatureMarker.isIn(text)) return text
    return signatureMarker.replaceIn(text, this.#signFile)
  }
}

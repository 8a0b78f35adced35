// What the doors see of the engine.

import type { MaybePromise, Viewer } from '#base'
import type { Model } from '#model'
import type { Answer, Limits, Question, Sight } from '#plan'

export interface Engine {
  readonly model: Model
  readonly limits: Limits
  /** What this viewer can never see: doors give it to their Draft, and its key stands in the key of every plan that they keep. */
  sight(viewer: Viewer): Sight
  /** The corridor: check → authorize → limit → run. The only way to the store. Throws a Fault, or rejects with one. */
  execute(question: Question, viewer: Viewer, wants?: Wants): MaybePromise<Answer>
}

/** What a door wants to know of a page beside its rows. */
export interface Wants {
  /** Whether rows follow behind an offset page. */
  more?: boolean
  /** How many rows the filter matches in all. */
  total?: boolean
  /** Nothing was chosen (REST's default representation), so depth and cost are not judged. */
  whole?: boolean
}

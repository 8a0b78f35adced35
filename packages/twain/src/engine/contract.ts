// What the doors see of the engine.

import type { Viewer } from '#base'
import type { Model } from '#model'
import type { Answer, Limits, Question } from '#plan'

export interface Engine {
  readonly model: Model
  readonly limits: Limits
  /** The corridor: check → authorize → limit → run. The only way to the store. Throws a Fault. */
  execute(question: Question, viewer: Viewer, wants?: Wants): Promise<Answer>
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

// An engine that answers from a list and tells what it is asked: for the tests of the doors.

import { ApiError, type Code, type Viewer } from '#base'
import type { Model } from '#model'
import { type BoundPlan, defaultLimits, type Limits, type PlanResult } from '#plan'
import { fullVisibility, type Visibility } from '#plan/build'
import type { Engine } from './engine.ts'
import type { ExecuteOptions } from './execute-options.ts'

interface Faking {
  model: Model
  limits?: Partial<Limits> | undefined
  /** Given in turn, the last one again and again; an Error is thrown. */
  answers?: (PlanResult | Error)[] | undefined
  sight?: ((viewer: Viewer) => Visibility) | undefined
  /** What a question fails with that was not to be asked. */
  unasked?: Code
  onAsked(boundPlan: BoundPlan, options: ExecuteOptions | undefined): void
}

export function fakeEngine({
  model,
  limits = {},
  answers = [],
  sight: visibility = () => ({ ...fullVisibility, mayForbid: true }),
  unasked = 'INTERNAL',
  onAsked,
}: Faking): Engine {
  const unwanted = (what: string) => (): never => {
    throw new ApiError('INTERNAL', `nothing was to be ${what}`)
  }
  return {
    model,
    limits: { ...defaultLimits, ...limits },
    usage: { count() {} },
    deprecations: null,
    visibility: visibility,
    admit() {},
    call: unwanted('called'),
    subscribe: unwanted('watched'),
    transact: async () => unwanted('transacted')(),
    admitUpload() {},
    hasResult: async () => false,
    deniedReads: { log() {}, hint: () => undefined },
    async execute(boundPlan, _viewer, options) {
      onAsked(boundPlan, options)
      const answer = answers.length > 1 ? answers.shift() : answers[0]
      if (answer === undefined) throw new ApiError(unasked, 'nothing was to be asked')
      if (answer instanceof Error) throw answer
      return answer
    },
  }
}

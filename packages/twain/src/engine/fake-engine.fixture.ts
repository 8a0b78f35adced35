// An engine that returns results from a list and reports what it executes: for the tests of the adapters.

import { ApiError, type Code } from '#base'
import type { Viewer } from '#base/http'
import type { Model } from '#model'
import { type BoundPlan, defaultLimits, type Limits, type PlanResult } from '#plan'
import { fullVisibility, type Visibility } from '#plan/build'
import type { Engine } from './engine.ts'
import type { ExecuteOptions } from './execute-options.ts'

interface FakeEngineOptions {
  model: Model
  limits?: Partial<Limits> | undefined
  /** Returned in turn, the last one repeatedly; an Error is thrown. */
  answers?: (PlanResult | Error)[] | undefined
  visibility?: ((viewer: Viewer) => Visibility) | undefined
  /** The code of the error for an unexpected plan. */
  unexpected?: Code
  onExecute(boundPlan: BoundPlan, options: ExecuteOptions | undefined): void
}

export function fakeEngine({
  model,
  limits = {},
  answers = [],
  visibility = () => ({ ...fullVisibility, mayForbid: true }),
  unexpected = 'INTERNAL',
  onExecute,
}: FakeEngineOptions): Engine {
  const unexpectedly = (what: string) => (): never => {
    throw new ApiError('INTERNAL', `nothing was expected to be ${what}`)
  }
  return {
    model,
    limits: { ...defaultLimits, ...limits },
    usage: { count() {} },
    deprecations: null,
    visibility,
    admitRead() {},
    admit() {},
    admitCall() {},
    mayCall: () => true,
    couldSeeMore: () => false,
    call: unexpectedly('called'),
    stream: unexpectedly('streamed'),
    subscribe: unexpectedly('watched'),
    transact: async () => unexpectedly('transacted')(),
    transactEach: async () => unexpectedly('transacted')(),
    access: async () => unexpectedly('explained')(),
    admitUpload() {},
    hasResult: async () => false,
    denials: { logRead() {}, logError() {}, hint: () => undefined },
    async execute(boundPlan, _viewer, options) {
      onExecute(boundPlan, options)
      const answer = answers.length > 1 ? answers.shift() : answers[0]
      if (answer === undefined) throw new ApiError(unexpected, 'no plan was expected')
      if (answer instanceof Error) throw answer
      return answer
    },
  }
}

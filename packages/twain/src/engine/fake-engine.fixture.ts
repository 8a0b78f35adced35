// An engine that answers from a list and tells what it is asked: for the tests of the doors.

import { ApiError, type Code, type Viewer } from '#base'
import type { Model } from '#model'
import { type Answer, defaultLimits, fullSight, type Limits, type Question, type Sight } from '#plan'
import type { Engine, Wants } from './contract.ts'

interface Faking {
  model: Model
  limits?: Partial<Limits> | undefined
  /** Given in turn, the last one again and again; an Error is thrown. */
  answers?: (Answer | Error)[] | undefined
  sight?: ((viewer: Viewer) => Sight) | undefined
  /** What a question fails with that was not to be asked. */
  unasked?: Code
  onAsked(question: Question, wants: Wants | undefined): void
}

export function fakeEngine({
  model,
  limits = {},
  answers = [],
  sight = () => ({ ...fullSight, refuses: true }),
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
    sight,
    admit() {},
    call: unwanted('called'),
    watch: unwanted('watched'),
    transact: async () => unwanted('transacted')(),
    admitUpload() {},
    wasMade: async () => false,
    refusedReads: { tell() {}, hint: () => undefined },
    async execute(question, _viewer, wants) {
      onAsked(question, wants)
      const answer = answers.length > 1 ? answers.shift() : answers[0]
      if (answer === undefined) throw new ApiError(unasked, 'nothing was to be asked')
      if (answer instanceof Error) throw answer
      return answer
    },
  }
}

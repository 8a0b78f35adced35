// A write as its plan says it → the job for the logic of writes. The rules are compiled once for a judge.

import type { Viewer } from '#base'
import type { Given, Judge, Write } from '#plan'
import { bindRead } from '../compile/bind.ts'
import type { Dialect } from '../compile/dialect.ts'
import type { CompiledRead } from '../compile/read.ts'
import type { Layout } from '../layout.ts'
import { type CompiledJudge, compileJudge } from './compile-judge.ts'
import type { JobGiven, WriteJob } from './job.ts'

export class JobMaker {
  readonly #layout: Layout
  readonly #dialect: Dialect
  readonly #judges = new WeakMap<Judge, CompiledJudge>()
  #compiled = 0

  constructor(layout: Layout, dialect: Dialect) {
    this.#layout = layout
    this.#dialect = dialect
  }

  /** How many judges were compiled so far. */
  get compiled(): number {
    return this.#compiled
  }

  /** `answer` is the statement that gives the written row; null for a delete. */
  make(plan: Write, values: readonly unknown[], answer: CompiledRead | null, viewer: Viewer): WriteJob {
    const { account, authenticated, token } = viewer
    return {
      kind: 'write',
      action: plan.action,
      resource: plan.of.name,
      id: plan.id === null ? null : (values[plan.id.index] as string),
      set: plan.set.map(({ field, slot, change }) => ({
        field: field.name,
        value: values[slot.index],
        merge: slot.fits.kind === 'field' && slot.fits.merge,
        change,
      })),
      ifVersion: plan.ifVersion === null ? null : (values[plan.ifVersion.index] as number),
      given: plan.given === undefined ? null : givenOf(plan.given, values),
      answer: answer === null ? null : bindRead(answer, values, account, this.#dialect),
      viewer: { account, authenticated, token },
      password: plan.password === undefined ? null : (values[plan.password.index] as string),
      judge: plan.judge === undefined ? null : this.#judge(plan, plan.judge)(account),
    }
  }

  #judge(plan: Write, judge: Judge): CompiledJudge {
    const known = this.#judges.get(judge)
    if (known !== undefined) return known
    const compiled = compileJudge(judge, plan, this.#layout, this.#dialect)
    this.#compiled++
    this.#judges.set(judge, compiled)
    return compiled
  }
}

function givenOf({ presence, versions, otherVersions, unmodified }: Given, values: readonly unknown[]): JobGiven {
  return {
    presence: presence ?? null,
    versions: versions === undefined ? null : (values[versions.index] as number[]),
    otherVersions: otherVersions === undefined ? null : (values[otherVersions.index] as number[]),
    unmodified:
      unmodified === undefined ? null : { by: unmodified.by.name, since: values[unmodified.since.index] as string },
  }
}

// A write as its plan says it → the job for the logic of writes. The rules are compiled once for a judge.

import type { Viewer } from '#base'
import {
  isRows,
  type Preconditions,
  type Selection,
  type SetField,
  type SetMember,
  type StateTransitions,
  type WriteChecks,
  type WritePlan,
} from '#plan'
import { bindRead } from '../sql/bind.ts'
import type { Dialect } from '../sql/dialect.ts'
import { type CompiledRead, compileReadBack } from '../sql/read.ts'
import type { Layout } from '../tables/layout.ts'
import { type CompiledJudge, type CompiledMoves, compileJudge, compileMoves } from './rules/compile-checks.ts'
import type { JobField, JobGiven, JobJudge, JobMove, JobRow, JobStates, WriteJob } from './steps/write-job.ts'

export class JobMaker {
  readonly #layout: Layout
  readonly #dialect: Dialect
  readonly #judges = new WeakMap<WriteChecks, CompiledJudge>()
  readonly #moves = new WeakMap<StateTransitions[], CompiledMoves>()
  readonly #answers = new WeakMap<readonly Selection[], CompiledRead>()
  #compiled = 0

  constructor(layout: Layout, dialect: Dialect) {
    this.#layout = layout
    this.#dialect = dialect
  }

  /** How many answers and judges were compiled so far. */
  get compiled(): number {
    return this.#compiled
  }

  /** `answer` is what the write answers with: as below, or less. */
  make(plan: WritePlan, values: readonly unknown[], answer: CompiledRead | null, viewer: Viewer): WriteJob {
    const { account, authenticated, token } = viewer
    return {
      kind: 'write',
      action: plan.action,
      resource: plan.of.name,
      id: plan.id === null ? null : (values[plan.id.index] as string),
      ...this.#row(plan.set, values, account),
      ifVersion: plan.ifVersion === null ? null : (values[plan.ifVersion.index] as number),
      given: plan.preconditions === undefined ? null : givenOf(plan.preconditions, values),
      answer: answer === null ? null : bindRead(answer, values, account, this.#dialect),
      viewer: { account, authenticated, token },
      password: plan.password === undefined ? null : (values[plan.password.index] as string),
      judge: this.#judgeFor(plan, account),
      once: null,
      states: plan.states === undefined ? null : this.#statesFor(plan, plan.states, account),
    }
  }

  /** The statement that gives the written row; null for a delete. */
  answer({ of, action, answer: selection }: WritePlan): CompiledRead | null {
    if (action === 'delete') return null
    const known = this.#answers.get(selection)
    if (known !== undefined) return known
    const compiled = compileReadBack(of, selection, this.#layout, this.#dialect)
    this.#compiled++
    this.#answers.set(selection, compiled)
    return compiled
  }

  /** Of the row itself, and of those that are made along with it. */
  #row(set: readonly SetMember[], values: readonly unknown[], account: string | null): JobRow {
    return {
      set: set.flatMap((member) => (isRows(member) ? [] : [jobField(member, values)])),
      rows: set.filter(isRows).map(({ field, rows, checks }) => ({
        field: field.name,
        judge: this.#judgeFor({ of: field.to, action: 'create', checks }, account),
        rows: rows.map((row) => this.#row(row, values, account)),
      })),
    }
  }

  #judgeFor(write: Judged, account: string | null): JobJudge | null {
    return write.checks === undefined ? null : this.#judge(write, write.checks)(account)
  }

  /** A create asks no moves, only where it starts; and a change those alone that it names. */
  #statesFor({ action, set }: WritePlan, states: StateTransitions[], account: string | null): JobStates {
    const named = new Map<string, JobMove[]>()
    if (states.length === 0 || (action !== 'update' && action !== 'replace')) return named
    for (const { field } of set) {
      if (!('stateMachine' in field)) continue
      named.set(field.name, this.#movesOf(states).get(field.name)!(account))
    }
    return named
  }

  #movesOf(states: StateTransitions[]): CompiledMoves {
    const known = this.#moves.get(states)
    if (known !== undefined) return known
    const compiled = compileMoves(states, this.#layout, this.#dialect)
    this.#moves.set(states, compiled)
    return compiled
  }

  #judge(plan: Judged, judge: WriteChecks): CompiledJudge {
    const known = this.#judges.get(judge)
    if (known !== undefined) return known
    const compiled = compileJudge(judge, plan, this.#layout, this.#dialect)
    this.#compiled++
    this.#judges.set(judge, compiled)
    return compiled
  }
}

/** What is judged: a write, or rows that it makes along. */
interface Judged {
  of: WritePlan['of']
  action: WritePlan['action']
  checks?: WriteChecks | undefined
}

function jobField({ field, parameter, change }: SetField, values: readonly unknown[]): JobField {
  const merge = parameter.accepts.kind === 'field' && parameter.accepts.merge
  return { field: field.name, value: values[parameter.index], merge, change }
}

function givenOf(
  { presence, versions, otherVersions, unmodified }: Preconditions,
  values: readonly unknown[],
): JobGiven {
  return {
    presence: presence ?? null,
    versions: versions === undefined ? null : (values[versions.index] as number[]),
    otherVersions: otherVersions === undefined ? null : (values[otherVersions.index] as number[]),
    unmodified:
      unmodified === undefined ? null : { by: unmodified.by.name, since: values[unmodified.since.index] as string },
  }
}

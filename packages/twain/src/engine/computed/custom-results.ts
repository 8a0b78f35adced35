// The road through objects: where own code answers something of a plan, the store's answer is parsed once, the code's answers
// are put in, and it is text again. What asks for nothing of the kind never comes here.

import { asApiError, type MaybePromise, type Once, type Viewer } from '#base'
import type { Model } from '#model'
import {
  type Answer,
  type Call,
  type Called,
  check,
  type Failure,
  failureMark,
  idMark,
  isComputed,
  isOwn,
  type Limits,
  type Plan,
  type Question,
  type Watch,
} from '#plan'
import type { Account, Told } from '#store'
import type { Wants } from '../contract.ts'
import type { OwnCode } from '../custom-code.ts'
import { complete, Misplaced } from './complete.ts'
import { argumentsOf, type Computing, compute, type NamedRows, type Row, type Sheet } from './compute.ts'
import { idsIn, placeRows } from './named-rows.ts'

type Run = (question: Question, values: unknown[], viewer: Viewer, wants: Wants) => MaybePromise<Answer>

/** Whether the contract has anything that own code answers. */
export function hasOwn({ resources, operations }: Model): boolean {
  return operations.length > 0 || resources.some(({ computed }) => computed.size > 0)
}

/** Rows that are read together, where no limit says how many a page has. */
const mostTogether = 500

export class OwnAnswers {
  readonly #limits: Limits
  readonly #code: OwnCode
  readonly #run: Run
  readonly #asked = new WeakMap<object, boolean>()

  /** `run` is the corridor from where the values are checked. */
  constructor(limits: Limits, code: OwnCode | undefined, run: Run) {
    if (code === undefined) throw new Error('a contract with computed fields needs the code that answers them')
    this.#limits = limits
    this.#code = code
    this.#run = run
  }

  isAsked(plan: Plan): boolean {
    const shape = plan.kind === 'write' ? plan.answer : plan
    const known = this.#asked.get(shape)
    if (known !== undefined) return known
    const is = isOwn(plan)
    this.#asked.set(shape, is)
    return is
  }

  async answer(question: Question, values: unknown[], viewer: Viewer, wants: Wants): Promise<Answer> {
    const stored = await this.#run(question, values, viewer, wants)
    const sheets = sheetsOf(question.plan, stored)
    const failures: Failure[] = []
    await compute(sheets, this.#computing(question, values, viewer, failures))
    return withTrees(stored, sheets, failures)
  }

  /** `once`: what it writes is written once, however often it is called with this. */
  async call(question: Question<Call>, values: readonly unknown[], viewer: Viewer, once: Once | null): Promise<Called> {
    const { operation, args, result } = question.plan
    const failures: Failure[] = []
    const fail = (error: unknown, inside: Failure['inside']) => {
      failures.push({ field: operation, error: asApiError(error), isWhole: false, inside })
      return failureMark(failures.length - 1)
    }
    try {
      const value = await this.#code.call(operation, argumentsOf(args, values), viewer, once)
      const { type, required } = operation
      const named = result.kind === 'rows' ? await this.#named(result, idsIn(value), question, viewer, failures) : null
      const tree =
        type.kind === 'stored'
          ? complete(type.type, required, value, result.kind === 'value' ? result.pick : null, fail)
          : placeRows(value, type.kind === 'rows', required, named!)
      const text = JSON.stringify(tree)
      return failures.length === 0 ? { text } : { text, failures }
    } catch (error) {
      throw asApiError(error instanceof Misplaced ? error.cause : error)
    }
  }

  isWatched({ pick }: Watch): boolean {
    return pick.some(isComputed)
  }

  /** The same for what is told of changes, put in the place of what the store told. Viewers who are told the same by the store
   *  may be told otherwise by code, which is asked once for each of them, about all changes together. */
  async tell(
    question: Question<Watch>,
    values: readonly unknown[],
    tellings: readonly (Told | null)[][],
    accounts: readonly Account[],
    viewer: Viewer,
  ): Promise<void> {
    const { pick } = question.plan
    for (const [index, account] of accounts.entries()) {
      const shown = tellings.flatMap((one) => (one[index]?.text ? [{ one, told: one[index] }] : []))
      const sheets = shown.map(({ told: { text } }) => ({ pick, tree: JSON.parse(text!) as unknown }))
      const failures: Failure[] = []
      await compute(sheets, this.#computing(question, values, { ...viewer, account }, failures))
      for (const [place, { one, told }] of shown.entries()) {
        const text = JSON.stringify(sheets[place]!.tree)
        one[index] = failures.length === 0 ? { ...told, text } : { ...told, text, failures }
      }
    }
  }

  #computing(
    question: Question | Question<Watch>,
    values: readonly unknown[],
    viewer: Viewer,
    failures: Failure[],
  ): Computing {
    const rows = (result: NamedRows, ids: readonly string[]) => this.#named(result, ids, question, viewer, failures)
    const isOfChanges = question.plan.kind === 'watch'
    return { code: this.#code, viewer, values, failures, isOfChanges, rows }
  }

  /** The rows that own code named: read through the corridor, as the viewer may see them, and computed in their turn. */
  async #named(
    { read, ids: slot }: NamedRows,
    ids: readonly string[],
    { values, places }: Pick<Question, 'values' | 'places'>,
    viewer: Viewer,
    failures: Failure[],
  ): Promise<ReadonlyMap<string, unknown>> {
    const found = new Map<string, unknown>()
    const size = this.#limits.page === 0 ? mostTogether : this.#limits.page
    if (read.page.kind !== 'offset') throw new Error('named rows are a page by number')
    const { limit, offset } = read.page
    for (let start = 0; start < ids.length; start += size) {
      const filled = [...values]
      filled[slot.index] = ids.slice(start, start + size)
      filled[limit.index] = size
      filled[offset.index] = 0
      const question: Question = { plan: read, values: filled, places }
      const checked = check(question, this.#limits)
      const sheets = sheetsOf(read, await this.#run(question, checked, viewer, { whole: true }))
      const rows = (sheets[0]!.tree as Row[]).map((row) => [row[idMark] as string, row] as const)
      await compute(sheets, this.#computing(question, checked, viewer, failures))
      for (const [id, row] of rows) found.set(id, row)
    }
    return found
  }
}

/** The trees of an answer, in the order of its texts. */
function sheetsOf(plan: Plan, answer: Answer): Sheet[] {
  if (answer.kind === 'deleted') return []
  if (answer.kind === 'batch') return answer.answers.flatMap((one) => sheetsOf(plan, one))
  const tree: unknown = answer.text === null ? null : JSON.parse(answer.text)
  switch (plan.kind) {
    case 'one':
      return [{ pick: plan.pick, tree }]
    case 'many':
      return [{ read: plan, tree }]
    case 'write':
      return [{ pick: plan.answer, tree }]
    case 'batch':
      return [{ pick: plan.writes[0]?.answer ?? [], tree }]
  }
}

function withTrees(answer: Answer, sheets: readonly Sheet[], failures: readonly Failure[]): Answer {
  const texts = sheets.map(({ tree }) => JSON.stringify(tree))
  let next = 0
  return told(answer)

  function told(one: Answer): Answer {
    if (one.kind === 'deleted') return one
    if (one.kind === 'batch') return { ...one, answers: one.answers.map(told) }
    const text = texts[next++]!
    if (one.kind === 'one' && one.text === null) return one
    return failures.length === 0 ? { ...one, text } : { ...one, text, failures }
  }
}

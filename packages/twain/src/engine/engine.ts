// The corridor between the doors and the store: check → authorize → limit → run. Nothing reaches the store around it.

import { ApiError, type MaybePromise, type Once, stillRunning, type Viewer, whenThere, withHint } from '#base'
import type { Model } from '#model'
import {
  type Answer,
  Authority,
  type Batch,
  type Call,
  type Called,
  check,
  type Deprecations,
  hasSignatures,
  type Limits,
  limit,
  type Plan,
  type Question,
  type Slot,
  type Watch,
  type Write,
  type WriteKind,
  waysIn,
  waysToRead,
  withSignatures,
} from '#plan'
import type { Extras, Store, Told } from '#store'
import { hasOwn, OwnAnswers } from './computed/custom-results.ts'
import type { Engine, RefusedReads, Wants, Watching } from './contract.ts'
import type { OwnCode } from './custom-code.ts'
import { type Part, transact } from './transaction.ts'
import { Usage } from './usage/usage.ts'

export interface EngineParts {
  model: Model
  store: Pick<Store, 'run' | 'transact' | 'teller' | 'once'>
  limits: Limits
  /** Makes of a password what may be kept; only a contract with an account type needs it. */
  hashPassword?: ((password: string) => Promise<string>) | undefined
  /** What answers computed fields; only a contract that has some needs it. */
  code?: OwnCode | undefined
  refusals?: Refusals | undefined
  /** What stands behind the path of a file that not everyone may read; only a contract with files needs it. */
  signFile?: ((id: string) => string) | undefined
  /** Of another engine of the same contract: what it knows of plans counts here too. */
  authority?: Authority | undefined
  /** Who uses what; left out: nobody asks. */
  usage?: Usage
  /** Null, or left out, where the contract deprecates nothing. */
  deprecations?: Deprecations | null
}

/** What is told of a request that the rules refuse: which lines of the file would have let it in. */
interface Refusals {
  file: string
  /** Whether the caller is told too: for those who write the file, and for nobody else. */
  inAnswer: boolean
  log(ways: string, refused: 'read' | 'write'): void
}

const nothingMore: Wants = {}

export function createEngine(parts: EngineParts): Engine {
  const { model, store, limits, hashPassword, code, refusals, signFile, authority = new Authority(model) } = parts
  const measured = new WeakSet<object>()
  /** The writes with a key that are being made here. */
  const underWay = new Set<string>()
  const own = hasOwn(model) ? new OwnAnswers(limits, code, runUnsigned) : null
  const numbers = new WeakMap<Watch, number>()
  let lastNumber = 0
  const refusedReads: RefusedReads = {
    tell: (fields) => refusals?.log(waysToRead(fields, model, refusals.file), 'read'),
    hint: (fields) => (refusals?.inAnswer === true ? waysToRead(fields, model, refusals.file) : undefined),
  }
  return {
    model,
    limits,
    usage: parts.usage ?? new Usage(),
    deprecations: parts.deprecations ?? null,
    sight: (viewer) => authority.sight(viewer),
    admit,
    admitUpload: (viewer) => authority.admitUpload(viewer),
    refusedReads,
    execute,
    transact: transactAll,
    wasMade,
    call,
    watch,
  }

  function admit(write: WriteKind, viewer: Viewer): void {
    try {
      authority.admit(write, viewer)
    } catch (error) {
      throw refusals === undefined ? error : withWays(error, write, viewer, refusals)
    }
  }

  function execute(question: Question, viewer: Viewer, wants: Wants = nothingMore): MaybePromise<Answer> {
    const { plan } = question
    if (plan.kind === 'one' || plan.kind === 'many') return run(question, viewer, wants)
    const first = writesOf(plan)[0]
    if (first === undefined) return run(question, viewer, wants)
    return wants.once === undefined
      ? write(question, first, viewer, wants)
      : writeOnce(question, first, viewer, wants, wants.once)
  }

  /** Another that comes while this one is made is not made to wait for it: it is told to come again. */
  async function writeOnce(
    question: Question,
    first: Write,
    viewer: Viewer,
    wants: Wants,
    once: Once,
  ): Promise<Answer> {
    return alone(once, () => write(question, first, viewer, wants))
  }

  async function alone<T>({ id }: Once, make: () => Promise<T>): Promise<T> {
    if (underWay.has(id)) throw stillRunning()
    underWay.add(id)
    try {
      return await make()
    } finally {
      underWay.delete(id)
    }
  }

  async function transactAll(
    parts: readonly Part[],
    viewer: Viewer,
    once: Once | null = null,
  ): Promise<Answer & { kind: 'batch' }> {
    const steps = {
      admit,
      check: (question: Question<Write>) => check(question, limits),
      authorize: (plan: Write, who: Viewer) => authority.authorize(plan, who),
      limit: limitOnce,
      hide: (plan: Write, values: unknown[]) => hashIn(plan.password === undefined ? [] : [plan.password], values),
      isOwn: (plan: Write) => own?.isAsked(plan) === true,
    }
    const made = () => transact(parts, viewer, once, store, steps)
    const answer = await (once === null ? made() : alone(once, made))
    return signFile === undefined ? answer : (signAnswer(answer, signFile) as Answer & { kind: 'batch' })
  }

  async function wasMade(once: Once): Promise<boolean> {
    if (underWay.has(once.id)) throw stillRunning()
    return (await store.once.recall(once)) !== null
  }

  async function write(question: Question, first: Write, viewer: Viewer, wants: Wants): Promise<Answer> {
    try {
      return await run(question, viewer, wants)
    } catch (error) {
      throw refusals === undefined ? error : withWays(error, first, viewer, refusals)
    }
  }

  function run(question: Question, viewer: Viewer, wants: Wants): MaybePromise<Answer> {
    const values = check(question, limits) // every problem at once, each with its place in the request
    if (own === null || !own.isAsked(question.plan)) return runStored(question, values, viewer, wants)
    return signed(own.answer(question, values, viewer, wants))
  }

  function runStored(question: Question, values: unknown[], viewer: Viewer, wants: Wants): MaybePromise<Answer> {
    return signed(runUnsigned(question, values, viewer, wants))
  }

  /** A signature lets anyone in who has it: what is kept is kept without. */
  function runUnsigned(question: Question, values: unknown[], viewer: Viewer, wants: Wants): MaybePromise<Answer> {
    const allowed = authority.authorize(question.plan, viewer) // the only maker of an AuthorizedPlan
    if (wants.whole !== true) limitOnce(question.plan)
    const extras: Extras = { more: wants.more === true, total: wants.total === true, now: wants.now === true }
    if (wants.once !== undefined) extras.once = wants.once
    const isRead = allowed.kind === 'one' || allowed.kind === 'many'
    const passwords = isRead ? [] : writesOf(allowed).flatMap(({ password }) => password ?? [])
    if (passwords.length === 0) return store.run(allowed, values, extras, viewer)
    return hashIn(passwords, values).then(() => store.run(allowed, values, extras, viewer))
  }

  /** The addresses of files in it, each with its signature. */
  function signed(answer: MaybePromise<Answer>): MaybePromise<Answer> {
    return signFile === undefined ? answer : whenThere(answer, (made) => signAnswer(made, signFile))
  }

  async function call(question: Question<Call>, viewer: Viewer, wants: Wants = nothingMore): Promise<Called> {
    const values = check(question, limits)
    if (wants.whole !== true) limitOnce(question.plan)
    const called = await (wants.once === undefined
      ? callOwn(question, values, viewer, null)
      : callOnce(question, values, viewer, wants.once))
    if (signFile === undefined || !hasSignatures(called.text)) return called
    return { ...called, text: withSignatures(called.text, signFile) }
  }

  /** Its answer is kept when it is there. Until then each of its writes is made once: code that is called again, since nobody
   *  knows how far it came, finds those that were made as they are. */
  function callOnce(question: Question<Call>, values: unknown[], viewer: Viewer, once: Once): Promise<Called> {
    return alone(once, async () => {
      const known = await store.once.recall<Called>(once)
      if (known !== null) return known
      const called = await callOwn(question, values, viewer, once)
      if (called.failures === undefined) await store.once.remember(once, called)
      return called
    })
  }

  async function callOwn(
    question: Question<Call>,
    values: unknown[],
    viewer: Viewer,
    once: Once | null,
  ): Promise<Called> {
    if (own === null) throw new Error('a contract without own code has nothing to call')
    return own.call(question, values, viewer, once)
  }

  function watch(question: Question<Watch>, viewer: Viewer, wants: Pick<Wants, 'whole'> = nothingMore): Watching {
    const values = check(question, limits)
    const code = own?.isWatched(question.plan) === true ? own : null
    const allowed = authority.authorize(question.plan, viewer)
    if (wants.whole !== true) limitOnce(question.plan)
    return {
      of: allowed.of,
      // Rules are the same for all viewers of a class; code may look at any role.
      key: `${numberOf(allowed)} ${JSON.stringify(values)}${code === null ? '' : ` ${JSON.stringify(viewer.roles)}`}`,
      async tell(changes, accounts) {
        const tellings = await store.teller.tell(allowed, values, changes, accounts)
        if (code !== null) await code.tell(question, values, tellings, accounts, { ...viewer, token: null })
        return signedTellings(tellings)
      },
    }
  }

  function signedTellings(tellings: (Told | null)[][]): (Told | null)[][] {
    if (signFile === undefined) return tellings
    for (const told of tellings.flat()) {
      if (told?.text && hasSignatures(told.text)) told.text = withSignatures(told.text, signFile)
    }
    return tellings
  }

  function numberOf(watch: Watch): number {
    const known = numbers.get(watch) ?? ++lastNumber
    numbers.set(watch, known)
    return known
  }

  /** Depth and cost belong to the shape of a plan: what has passed once need not be measured again. */
  function limitOnce(plan: Plan | Watch | Call): void {
    const shape = plan.kind === 'write' ? plan.answer : plan
    if (measured.has(shape)) return
    limit(plan, limits)
    measured.add(shape)
  }

  function withWays(error: unknown, write: WriteKind, viewer: Viewer, { file, inAnswer, log }: Refusals): unknown {
    if (!(error instanceof ApiError) || (error.code !== 'FORBIDDEN' && error.code !== 'UNAUTHENTICATED')) return error
    const ways = waysIn(write, error, viewer, model, file)
    log(ways, 'write')
    return inAnswer ? withHint(error, ways) : error
  }

  /** A password goes no further than this. */
  async function hashIn(passwords: readonly Slot[], values: unknown[]): Promise<void> {
    if (passwords.length === 0) return
    if (hashPassword === undefined) throw new Error('a contract with an account type needs hashPassword')
    for (const { index } of passwords) values[index] = await hashPassword(values[index] as string)
  }
}

function signAnswer(answer: Answer, signFile: (id: string) => string): Answer {
  if (answer.kind === 'deleted') return answer
  if (answer.kind === 'batch') return { ...answer, answers: answer.answers.map((one) => signAnswer(one, signFile)) }
  if (answer.text === null || !hasSignatures(answer.text)) return answer
  return { ...answer, text: withSignatures(answer.text, signFile) }
}

function writesOf(plan: Write | Batch): readonly Write[] {
  return plan.kind === 'write' ? [plan] : plan.writes
}

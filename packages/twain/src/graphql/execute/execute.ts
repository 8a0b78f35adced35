// Runs the root fields of an operation through the engine, one after another; those of a mutation each in its own
// transaction (specification, section 6.2). Those of a query might run side by side, but then one document could hold all
// the read processes, and the main thread for as long as it likes. Answers stay the text that the store made.

import { setImmediate } from 'node:timers/promises'
import type { Tokens } from '#auth'
import { ApiError, andThen, type IdempotencyKey, type MaybePromise, type Viewer } from '#base'
import type { Engine, ExecuteOptions } from '#engine'
import type { Events, Webhooks } from '#events'
import type { AnyField } from '#model'
import type { BoundPlan, CodeFailure, CustomCall, CustomCallResult, PlanResult, WriteBatch, WritePlan } from '#plan'
import { type Deprecated, earliest, type Naming } from '#plan/explain'
import type { Variables } from '../document/argument-values.ts'
import type { Operation } from '../document/document.ts'
import { anyError, type OnError, type ResponseError } from '../document/request-errors.ts'
import { type OwnRoot, ownQuestion } from '../plan/plan-custom-operation.ts'
import { type PlannedOperation, type Root, readQuestion } from '../plan/plan-operation.ts'
import { writeQuestion } from '../plan/plan-write.ts'
import type { Uploads } from '../transport/multipart.ts'
import { changesText } from './changes-field.ts'
import { tellFailed } from './failed-fields.ts'
import { tellRefused } from './forbidden-fields.ts'
import { deletedText } from './format.ts'
import type { Introspection } from './introspection.ts'
import { levelOf, type PlanMember } from './selected-fields.ts'
import { tokenText } from './token-fields.ts'
import { uploadText } from './upload-field.ts'
import { webhookText } from './webhook-fields.ts'

/** What a root field came to: JSON text with what was refused inside it, or an error in its place. */
export type RootResult =
  | { key: string; text: string; refused: ResponseError[]; isNulled?: true } // nulled: and so is the whole of `data`
  | { key: string; error: ResponseError; nullable: boolean }

/** What a run has at hand. */
export interface Run {
  operation: Operation
  variables: Variables
  viewer: Viewer
  /** Where the request came from. */
  address: string
  engine: Engine
  tokens: Tokens | null
  /** Null where nothing is told of changes. */
  events: Events | null
  /** Null where there are none. */
  webhooks: Webhooks | null
  /** The files that came with the request, if it is a multipart one. */
  uploads: Uploads | null
  introspection: Introspection
  onError: OnError | null
  /** The id of the request, for the log. */
  request: string | undefined
  /** What may not be read, as far as it was met. */
  refused: Set<AnyField> | null
  /** Whether a field of an answer may be refused to this viewer at all. */
  refuses: boolean
  room: Room
  /** What the one who asks calls itself. */
  client: string
  /** What is deprecated of it, as far as it was met. */
  deprecated: Deprecated | null
  /** Where what is written is written once: the record of each field, and what came of them. Null: there is no key. */
  once: KeyUse | null
}

/** An `Idempotency-Key` in use. */
export interface KeyUse {
  of: (field: string) => IdempotencyKey
  made: number
  replayed: number
}

/** Characters that an HTTP response may still have; the operations of a batch share it. */
export interface Room {
  left: number
}

/** How long root fields may follow one another, in milliseconds, before other requests get their turn. */
const longestTurn = 10

/** The answer of one field has a limit of its own (the store's). */
const longestResponse = 16 * 1024 * 1024

export function roomForResponse(): Room {
  return { left: longestResponse }
}

/** In the order of the request. Of a mutation, what stands behind a failure is not run and not here; nor is what stands
 *  behind a field for which there was no room. */
export function execute({ kind, roots }: PlannedOperation, run: Run): MaybePromise<RootResult[]> {
  if (roots.length === 1) return andThen(resultIn(run.room, roots[0]!, run), (result) => [result])
  return executeAll(kind, roots, run)
}

async function executeAll(kind: PlannedOperation['kind'], roots: readonly Root[], run: Run): Promise<RootResult[]> {
  const results: RootResult[] = []
  let turn = performance.now()
  for (const root of roots) {
    const isOver = run.room.left < 0
    const result = await resultIn(run.room, root, run)
    results.push(result)
    if (isFailed(result) && (isOver || kind === 'mutation')) break
    if (performance.now() - turn > longestTurn) {
      await setImmediate()
      turn = performance.now()
    }
  }
  return results
}

function isFailed(result: RootResult): boolean {
  return 'error' in result || result.isNulled === true
}

function resultIn(room: Room, root: Root, run: Run): MaybePromise<RootResult> {
  return andThen(resultOf(room.left < 0 ? tooLarge(root) : root, run), (result) => {
    if ('text' in result) room.left -= result.text.length
    return result
  })
}

function tooLarge({ key, node }: Root): Root {
  const fault = new ApiError('QUERY_TOO_COSTLY', `The response would be larger than ${longestResponse >> 20} MiB.`, {
    hint: 'Ask for fewer fields, or for fewer rows, in one document.',
  })
  return { key, node, kind: 'failed', fault }
}

function resultOf(root: Root, run: Run): MaybePromise<RootResult> {
  try {
    const text = textOf(root, run)
    if (typeof text === 'string') return resultOfText(text, root, run)
    return text.then((late) => resultOfLate(late, root, run)).catch((error) => resultOfError(error, root, run))
  } catch (error) {
    return resultOfError(error, root, run)
  }
}

export function resultOfText(text: string, root: Root, run: Run): RootResult {
  const { key } = root
  if (!run.refuses) return { key, text, refused: none }
  const seen = tellRefused(text, root, run)
  return { key, text: seen.text, refused: seen.errors }
}

const none: ResponseError[] = []

/** A text with marks in it where own code failed. */
interface Marked {
  text: string
  failures: readonly CodeFailure[]
}

function resultOfLate(late: string | Marked, root: Root, run: Run): RootResult {
  if (typeof late === 'string') return resultOfText(late, root, run)
  const { operation, engine, onError, request } = run
  const asked = { operation, model: engine.model, onError, request }
  const { key } = root
  const { text, errors } = tellFailed([key], late.text, late.failures, levelAt(root), asked)
  if (text === null) return { key, text: 'null', refused: errors, ...(isNullable(root) ? {} : { isNulled: true }) }
  const result = resultOfText(text, root, run)
  return 'error' in result ? result : { ...result, refused: [...errors, ...result.refused] }
}

function levelAt(root: Root): readonly PlanMember[] {
  if (root.kind === 'read') return levelOf(root.plan)
  if (root.kind === 'own') return root.plan.result.kind === 'rows' ? levelOf(root.plan.result.read) : []
  return root.kind === 'write' ? root.answer : []
}

export function resultOfError(error: unknown, root: Root, { onError, request }: Run): RootResult {
  return { key: root.key, error: anyError(error, onError, request, root), nullable: isNullable(root) }
}

function isNullable(root: Root): boolean {
  if (root.kind === 'webhook') return root.action === 'one'
  if (root.kind === 'own') return !root.plan.operation.required
  return root.kind === 'introspection' || (root.kind === 'read' && root.nullable)
}

function textOf(root: Root, run: Run): string | Promise<string | Marked> {
  const { operation, variables, viewer, engine, introspection, tokens } = run
  switch (root.kind) {
    case 'read':
      note(root.plan, run)
      return toldOf(engine.execute(readQuestion(root, variables), viewer), textOfAnswer)
    case 'own':
      note(root.plan, run)
      return calledText(call(root, run), run)
    case 'write':
      engine.admit({ of: root.of, action: root.action === 'createAll' ? 'create' : root.action }, viewer)
      return toldOf(write(root.key, writeQuestion(root, variables, engine.limits), run), (answer) =>
        answer.kind === 'deleted' ? deletedText(root.of.name, answer, root.result) : textOfAnswer(answer),
      )
    case 'upload':
      return uploadText(root, run)
    case 'token':
      if (tokens === null) throw new Error('the contract has accounts, and nobody to give tokens')
      return tokenText(root, run, tokens)
    case 'changes':
      if (run.events === null) throw new Error('nothing is told of changes here')
      return changesText(root, variables, viewer, engine, run.events)
    case 'webhook':
      if (run.webhooks === null) throw new Error('there are no webhooks here')
      return webhookText(root, run, run.webhooks)
    case 'introspection':
      return introspection.answer(root.nodes, operation, variables)
    case 'constant':
      return JSON.stringify(root.value)
    case 'subscription':
      throw new Error('a subscription is followed, not executed')
    case 'failed':
      throw root.fault
  }
}

/** What a request names it uses, whatever comes of it. */
export function note(plan: Naming, run: Pick<Run, 'engine' | 'client' | 'deprecated'>): void {
  const { usage, deprecations } = run.engine
  usage.count(plan, run.client, false)
  if (deprecations !== null) run.deprecated = earliest(run.deprecated, deprecations.in(plan))
}

function call(root: Root & OwnRoot, run: Run): Promise<CustomCallResult> {
  const boundPlan = ownQuestion(root, run.variables)
  return run.uploads === null ? callWith(boundPlan, root, run) : callWithFiles(boundPlan, root, run, run.uploads)
}

function callWith(
  boundPlan: BoundPlan<CustomCall>,
  { key }: Root,
  { once, engine, viewer, operation }: Run,
): Promise<CustomCallResult> {
  if (once === null || operation.kind !== 'mutation') return engine.call(boundPlan, viewer)
  return engine.call(boundPlan, viewer, { idempotencyKey: once.of(key) })
}

/** The files have rows before the code is called, and stay whatever comes of it: it may have put them somewhere. What holds
 *  none of them in a day is swept. */
async function callWithFiles(
  boundPlan: BoundPlan<CustomCall>,
  root: Root,
  run: Run,
  uploads: Uploads,
): Promise<CustomCallResult> {
  const kept = await uploads.keepAll(boundPlan)
  uploads.want(kept.files)
  return callWith(kept.question, root, run)
}

async function calledText(called: Promise<CustomCallResult>, { once, operation }: Run): Promise<string | Marked> {
  const { text, failures, replayed } = await called
  if (once !== null && operation.kind === 'mutation') once[replayed === true ? 'replayed' : 'made']++
  return failures === undefined ? text : { text, failures }
}

/** Own code is never at once, so what comes at once has no failures. */
function toldOf(
  answer: MaybePromise<PlanResult>,
  spell: (answer: PlanResult) => string,
): string | Promise<string | Marked> {
  if (!(answer instanceof Promise)) return spell(answer)
  return answer.then((late) => {
    const failures = failuresOf(late)
    return failures.length === 0 ? spell(late) : { text: spell(late), failures }
  })
}

/** Of a batch they are the same for all. */
function failuresOf(answer: PlanResult): readonly CodeFailure[] {
  if (answer.kind === 'deleted') return []
  if (answer.kind === 'batch') return answer.answers[0] === undefined ? [] : failuresOf(answer.answers[0])
  return answer.failures ?? []
}

function write(key: string, boundPlan: BoundPlan<WritePlan | WriteBatch>, run: Run): MaybePromise<PlanResult> {
  const { once, engine, viewer, uploads } = run
  note(boundPlan.plan, run)
  if (once === null) {
    return uploads === null ? engine.execute(boundPlan, viewer) : writeFiles(boundPlan, uploads, engine, viewer)
  }
  const options = { idempotencyKey: once.of(key) }
  const answer =
    uploads === null
      ? engine.execute(boundPlan, viewer, options)
      : writeFiles(boundPlan, uploads, engine, viewer, options)
  return andThen(answer, (made) => {
    if ('replayed' in made) once.replayed++
    else once.made++
    return made
  })
}

/** The files of a write have rows before it, and go with it if it fails. */
async function writeFiles(
  boundPlan: BoundPlan<WritePlan | WriteBatch>,
  uploads: Uploads,
  engine: Engine,
  viewer: Viewer,
  options?: ExecuteOptions,
): Promise<PlanResult> {
  const kept = await uploads.keepAll(boundPlan)
  const answer = await engine.execute(kept.question, viewer, options)
  // What was written before has the files of then.
  if (!('replayed' in answer)) uploads.want(kept.files)
  return answer
}

export function textOfAnswer(answer: PlanResult): string {
  if (answer.kind === 'batch') return `[${answer.answers.map(textOfAnswer).join(',')}]`
  if (answer.kind === 'deleted') throw new Error('the engine answered with "deleted", which was not asked for')
  return answer.text ?? 'null'
}

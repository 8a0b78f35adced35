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
import { type AnyPlan, type Deprecation, earliestDeprecation } from '#plan/explain'
import type { GraphqlOperation } from '../document/document-cache.ts'
import { formatAnyError, type ResponseError, type UnexpectedErrorHandler } from '../document/response-errors.ts'
import type { VariableValues } from '../input/argument-values.ts'
import { bindCustomCall, type PlannedCustomField } from '../plan/plan-custom-operation.ts'
import { bindRead, type PlannedField, type PlannedOperation } from '../plan/plan-operation.ts'
import { bindWrite } from '../plan/plan-write.ts'
import type { Uploads } from '../transport/multipart.ts'
import { changesText } from './changes-field.ts'
import { replaceFailedFields } from './failed-fields.ts'
import { reportForbiddenFields } from './forbidden-fields.ts'
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
export interface ExecutionContext {
  operation: GraphqlOperation
  variables: VariableValues
  viewer: Viewer
  /** Where the request came from. */
  clientAddress: string
  engine: Engine
  tokens: Tokens | null
  /** Null where nothing is told of changes. */
  events: Events | null
  /** Null where there are none. */
  webhooks: Webhooks | null
  /** The files that came with the request, if it is a multipart one. */
  uploads: Uploads | null
  introspection: Introspection
  onError: UnexpectedErrorHandler | null
  /** The id of the request, for the log. */
  requestId: string | undefined
  /** What may not be read, as far as it was met. */
  deniedFields: Set<AnyField> | null
  /** Whether a field of an answer may be refused to this viewer at all. */
  mayForbid: boolean
  budget: ResponseBudget
  /** What the one who asks calls itself. */
  clientName: string
  /** What is deprecated of it, as far as it was met. */
  deprecated: Deprecation | null
  /** Where what is written is written once: the record of each field, and what came of them. Null: there is no key. */
  idempotency: IdempotencyTracker | null
}

/** An `Idempotency-Key` in use. */
export interface IdempotencyTracker {
  keyFor: (field: string) => IdempotencyKey
  executed: number
  replayed: number
}

/** Characters that an HTTP response may still have; the operations of a batch share it. */
export interface ResponseBudget {
  remaining: number
}

/** How long root fields may follow one another, in milliseconds, before other requests get their turn. */
const maxTurnMs = 10

/** The answer of one field has a limit of its own (the store's). */
const maxResponseLength = 16 * 1024 * 1024

export function newResponseBudget(): ResponseBudget {
  return { remaining: maxResponseLength }
}

/** In the order of the request. Of a mutation, what stands behind a failure is not run and not here; nor is what stands
 *  behind a field for which there was no room. */
export function execute({ kind, roots }: PlannedOperation, run: ExecutionContext): MaybePromise<RootResult[]> {
  if (roots.length === 1) return andThen(runWithinBudget(run.budget, roots[0]!, run), (result) => [result])
  return executeAll(kind, roots, run)
}

async function executeAll(
  kind: PlannedOperation['kind'],
  roots: readonly PlannedField[],
  run: ExecutionContext,
): Promise<RootResult[]> {
  const results: RootResult[] = []
  let turn = performance.now()
  for (const root of roots) {
    const isOver = run.budget.remaining < 0
    const result = await runWithinBudget(run.budget, root, run)
    results.push(result)
    if (isFailed(result) && (isOver || kind === 'mutation')) break
    if (performance.now() - turn > maxTurnMs) {
      await setImmediate()
      turn = performance.now()
    }
  }
  return results
}

function isFailed(result: RootResult): boolean {
  return 'error' in result || result.isNulled === true
}

function runWithinBudget(room: ResponseBudget, root: PlannedField, run: ExecutionContext): MaybePromise<RootResult> {
  return andThen(resultOf(room.remaining < 0 ? responseTooLarge(root) : root, run), (result) => {
    if ('text' in result) room.remaining -= result.text.length
    return result
  })
}

function responseTooLarge({ key, node }: PlannedField): PlannedField {
  const error = new ApiError('QUERY_TOO_COSTLY', `The response would be larger than ${maxResponseLength >> 20} MiB.`, {
    hint: 'Ask for fewer fields, or for fewer rows, in one document.',
  })
  return { key, node, kind: 'failed', fault: error }
}

function resultOf(root: PlannedField, run: ExecutionContext): MaybePromise<RootResult> {
  try {
    const text = textOf(root, run)
    if (typeof text === 'string') return resultOfText(text, root, run)
    return text.then((late) => resultOfAsync(late, root, run)).catch((error) => resultOfError(error, root, run))
  } catch (error) {
    return resultOfError(error, root, run)
  }
}

export function resultOfText(text: string, root: PlannedField, run: ExecutionContext): RootResult {
  const { key } = root
  if (!run.mayForbid) return { key, text, refused: noErrors }
  const seen = reportForbiddenFields(text, root, run)
  return { key, text: seen.text, refused: seen.errors }
}

const noErrors: ResponseError[] = []

/** A text with marks in it where own code failed. */
interface TextWithFailures {
  text: string
  failures: readonly CodeFailure[]
}

function resultOfAsync(late: string | TextWithFailures, root: PlannedField, run: ExecutionContext): RootResult {
  if (typeof late === 'string') return resultOfText(late, root, run)
  const { operation, engine, onError, requestId } = run
  const asked = { operation, model: engine.model, onError, requestId }
  const { key } = root
  const { text, errors } = replaceFailedFields([key], late.text, late.failures, selectionsOf(root), asked)
  if (text === null) return { key, text: 'null', refused: errors, ...(isNullable(root) ? {} : { isNulled: true }) }
  const result = resultOfText(text, root, run)
  return 'error' in result ? result : { ...result, refused: [...errors, ...result.refused] }
}

function selectionsOf(root: PlannedField): readonly PlanMember[] {
  if (root.kind === 'read') return levelOf(root.plan)
  if (root.kind === 'own') return root.plan.result.kind === 'rows' ? levelOf(root.plan.result.read) : []
  return root.kind === 'write' ? root.selections : []
}

export function resultOfError(
  error: unknown,
  root: PlannedField,
  { onError, requestId }: ExecutionContext,
): RootResult {
  return { key: root.key, error: formatAnyError(error, onError, requestId, root), nullable: isNullable(root) }
}

function isNullable(root: PlannedField): boolean {
  if (root.kind === 'webhook') return root.action === 'one'
  if (root.kind === 'own') return !root.plan.operation.required
  return root.kind === 'introspection' || (root.kind === 'read' && root.isNullable)
}

function textOf(root: PlannedField, run: ExecutionContext): string | Promise<string | TextWithFailures> {
  const { operation, variables, viewer, engine, introspection, tokens } = run
  switch (root.kind) {
    case 'read':
      recordUsage(root.plan, run)
      return renderResult(engine.execute(bindRead(root, variables), viewer), textOfResult)
    case 'own':
      recordUsage(root.plan, run)
      return customText(callCustom(root, run), run)
    case 'write':
      engine.admit({ of: root.of, action: root.action === 'createAll' ? 'create' : root.action }, viewer)
      return renderResult(write(root.key, bindWrite(root, variables, engine.limits), run), (answer) =>
        answer.kind === 'deleted' ? deletedText(root.of.name, answer, root.deleteResult) : textOfResult(answer),
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
export function recordUsage(plan: AnyPlan, run: Pick<ExecutionContext, 'engine' | 'clientName' | 'deprecated'>): void {
  const { usage, deprecations } = run.engine
  usage.count(plan, run.clientName, false)
  if (deprecations !== null) run.deprecated = earliestDeprecation(run.deprecated, deprecations.ofPlan(plan))
}

function callCustom(root: PlannedField & PlannedCustomField, run: ExecutionContext): Promise<CustomCallResult> {
  const boundPlan = bindCustomCall(root, run.variables)
  return run.uploads === null ? callCode(boundPlan, root, run) : callCodeWithFiles(boundPlan, root, run, run.uploads)
}

function callCode(
  boundPlan: BoundPlan<CustomCall>,
  { key }: PlannedField,
  { idempotency, engine, viewer, operation }: ExecutionContext,
): Promise<CustomCallResult> {
  if (idempotency === null || operation.kind !== 'mutation') return engine.call(boundPlan, viewer)
  return engine.call(boundPlan, viewer, { idempotencyKey: idempotency.keyFor(key) })
}

/** The files have rows before the code is called, and stay whatever comes of it: it may have put them somewhere. What holds
 *  none of them in a day is swept. */
async function callCodeWithFiles(
  boundPlan: BoundPlan<CustomCall>,
  root: PlannedField,
  run: ExecutionContext,
  uploads: Uploads,
): Promise<CustomCallResult> {
  const kept = await uploads.storeAll(boundPlan)
  uploads.markUsed(kept.files)
  return callCode(kept.question, root, run)
}

async function customText(
  called: Promise<CustomCallResult>,
  { idempotency, operation }: ExecutionContext,
): Promise<string | TextWithFailures> {
  const { text, failures, replayed } = await called
  if (idempotency !== null && operation.kind === 'mutation') idempotency[replayed === true ? 'replayed' : 'executed']++
  return failures === undefined ? text : { text, failures }
}

/** Own code is never at once, so what comes at idempotency has no failures. */
function renderResult(
  answer: MaybePromise<PlanResult>,
  render: (answer: PlanResult) => string,
): string | Promise<string | TextWithFailures> {
  if (!(answer instanceof Promise)) return render(answer)
  return answer.then((late) => {
    const failures = failuresOf(late)
    return failures.length === 0 ? render(late) : { text: render(late), failures }
  })
}

/** Of a batch they are the same for all. */
function failuresOf(answer: PlanResult): readonly CodeFailure[] {
  if (answer.kind === 'deleted') return []
  if (answer.kind === 'batch') return answer.answers[0] === undefined ? [] : failuresOf(answer.answers[0])
  return answer.failures ?? []
}

function write(
  key: string,
  boundPlan: BoundPlan<WritePlan | WriteBatch>,
  run: ExecutionContext,
): MaybePromise<PlanResult> {
  const { idempotency, engine, viewer, uploads } = run
  recordUsage(boundPlan.plan, run)
  if (idempotency === null) {
    return uploads === null ? engine.execute(boundPlan, viewer) : writeFiles(boundPlan, uploads, engine, viewer)
  }
  const options = { idempotencyKey: idempotency.keyFor(key) }
  const answer =
    uploads === null
      ? engine.execute(boundPlan, viewer, options)
      : writeFiles(boundPlan, uploads, engine, viewer, options)
  return andThen(answer, (made) => {
    if ('replayed' in made) idempotency.replayed++
    else idempotency.executed++
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
  const kept = await uploads.storeAll(boundPlan)
  const answer = await engine.execute(kept.question, viewer, options)
  // What was written before has the files of then.
  if (!('replayed' in answer)) uploads.markUsed(kept.files)
  return answer
}

export function textOfResult(answer: PlanResult): string {
  if (answer.kind === 'batch') return `[${answer.answers.map(textOfResult).join(',')}]`
  if (answer.kind === 'deleted') throw new Error('the engine answered with "deleted", which was not asked for')
  return answer.text ?? 'null'
}

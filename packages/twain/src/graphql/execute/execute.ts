// Runs the root fields of an operation through the engine, one after another. Each root field of a mutation runs in its own
// transaction (specification, section 6.2). The fields of a query could run in parallel, but then one document could occupy
// all read processes. Only the custom operations of a query run side by side, because they may wait for other services. The text
// that the store returns goes into the response unparsed.

import { setImmediate } from 'node:timers/promises'
import { ApiError, andThen, type MaybePromise } from '#base'
import type { Viewer } from '#base/http'
import { monotonicTime } from '#base/time'
import type { Engine, ExecuteOptions } from '#engine'
import type {
  BoundPlan,
  BulkWrite,
  CodeFailure,
  CustomCall,
  CustomCallResult,
  PlanResult,
  WriteBatch,
  WritePlan,
} from '#plan'
import { bindPlan } from '#plan/build'
import { formatAnyError, type ResponseError } from '../document/response-errors.ts'
import { placeNodes } from '../plan/plan-node.ts'
import {
  bindRead,
  type PlannedCustomField,
  type PlannedField,
  type PlannedNodes,
  type PlannedOperation,
  type PlannedRead,
} from '../plan/plan-operation.ts'
import { bindWrite, isDryRun, type PlannedWriteField, writeKindOf } from '../plan/plan-write.ts'
import { accessText } from './access-field.ts'
import { accessMatrixText } from './access-matrix-field.ts'
import { changesText } from './changes-field.ts'
import { codeText, mailsText } from './code-fields.ts'
import { createEachText } from './create-each.ts'
import { endSessionsText } from './end-sessions-field.ts'
import {
  type ExecutionContext,
  maxResponseLength,
  type ResponseBudget,
  type RootResult,
  recordUsage,
} from './execution-context.ts'
import { exportText } from './export-field.ts'
import { replaceFailedFields } from './failed-fields.ts'
import { reportForbiddenFields } from './forbidden-fields.ts'
import { bulkText, deletedText } from './format.ts'
import { invitationText } from './invitation-fields.ts'
import { messageText } from './message-field.ts'
import { monitorText } from './monitor-fields.ts'
import { isRefusal, withPresentRights } from './present-rights.ts'
import { schemaText } from './schema-fields.ts'
import { levelOf, type PlanMember } from './selected-fields.ts'
import { signInText } from './sign-in-field.ts'
import { signUpText } from './sign-up-field.ts'
import { uploadText } from './upload-field.ts'
import type { Uploads } from './uploads.ts'

/** Root fields run for at most this long before other requests get their turn. */
const maxTurnMs = 10

/** The results in the order of the request. A mutation goes on after a failure: its fields are nullable, and each has its result or
 *  its error. A query stops at the first field that exceeds the budget. */
export function execute({ kind, roots }: PlannedOperation, context: ExecutionContext): MaybePromise<RootResult[]> {
  if (roots.length === 1) return andThen(runWithinBudget(context.budget, roots[0]!, context), (result) => [result])
  return executeAll(kind, roots, context)
}

async function executeAll(
  kind: PlannedOperation['kind'],
  roots: readonly PlannedField[],
  context: ExecutionContext,
): Promise<RootResult[]> {
  const results: RootResult[] = []
  const started = new Map<PlannedField, MaybePromise<RootResult>>()
  if (kind === 'query') {
    for (const root of roots) if (root.kind === 'custom') started.set(root, runField(root, context))
  }
  let lost: ReturnType<typeof lostAfter> = null
  let turn = monotonicTime()
  for (const root of roots) {
    const isOver = context.budget.remaining < 0
    const result = await runWithinBudget(context.budget, lost?.(root) ?? root, context, started.get(root))
    results.push(result)
    if (kind === 'mutation') lost ??= lostAfter(result)
    else if (isOver && isFailed(result)) break
    if (monotonicTime() - turn > maxTurnMs) {
      await setImmediate()
      turn = monotonicTime()
    }
  }
  return results
}

/** The fields behind one that found the server unavailable do not run: each would wait as long. */
function lostAfter(result: RootResult): ((root: PlannedField) => PlannedField) | null {
  if (!('error' in result) || result.retryAfter === undefined) return null
  const headers = { 'retry-after': result.retryAfter }
  const error = new ApiError('UNAVAILABLE', 'It has not run: the server was unavailable for an earlier field.', {
    headers,
  })
  return (root) => (root.kind === 'constant' ? root : { key: root.key, node: root.node, kind: 'failed', error })
}

function isFailed(result: RootResult): boolean {
  return 'error' in result || result.isNulled === true
}

function runWithinBudget(
  budget: ResponseBudget,
  root: PlannedField,
  context: ExecutionContext,
  started?: MaybePromise<RootResult>,
): MaybePromise<RootResult> {
  const isOver = budget.remaining < 0
  const running = started === undefined || isOver ? runField(isOver ? responseTooLarge(root) : root, context) : started
  return andThen(running, (result) => {
    if ('text' in result) budget.remaining -= result.text.length
    return result
  })
}

function responseTooLarge({ key, node }: PlannedField): PlannedField {
  const mebibytes = maxResponseLength >> 20
  const error = new ApiError('QUERY_TOO_COSTLY', `The response would be larger than ${mebibytes} MiB.`, {
    hint: 'Select fewer fields or fewer rows in one document.',
  })
  return { key, node, kind: 'failed', error }
}

function runField(root: PlannedField, context: ExecutionContext): MaybePromise<RootResult> {
  return withPresentRights(
    context,
    () => runFieldOnce(root, context),
    (result) => isRefusal(result, root, context),
  )
}

function runFieldOnce(root: PlannedField, context: ExecutionContext): MaybePromise<RootResult> {
  try {
    const text = textOf(root, context)
    if (typeof text === 'string') return resultOfText(text, root, context)
    return text
      .then((resolved) => resultOfAsync(resolved, root, context))
      .catch((error) => resultOfError(error, root, context))
  } catch (error) {
    return resultOfError(error, root, context)
  }
}

export function resultOfText(text: string, root: PlannedField, context: ExecutionContext): RootResult {
  const { key } = root
  if (!context.mayForbid) return { key, text, errors: noErrors }
  const visible = reportForbiddenFields(text, root, context)
  return { key, text: visible.text, errors: visible.errors }
}

const noErrors: ResponseError[] = []

/** A text with a marker in each place where custom code failed. */
interface TextWithFailures {
  text: string
  failures: readonly CodeFailure[]
  /** A delete found no row that the viewer can see. */
  isMissing?: true
}

function resultOfAsync(resolved: string | TextWithFailures, root: PlannedField, context: ExecutionContext): RootResult {
  if (typeof resolved === 'string') return resultOfText(resolved, root, context)
  if (resolved.isMissing === true) return { key: root.key, text: resolved.text, errors: noErrors, isMissing: true }
  const { operation, engine, onError, requestId } = context
  const failedContext = { operation, model: engine.model, onError, requestId }
  const { key } = root
  const { text, errors } = replaceFailedFields(
    [key],
    resolved.text,
    resolved.failures,
    selectionsOf(root),
    failedContext,
    root.kind === 'nodes',
  )
  if (text === null) return { key, text: 'null', errors, ...(isNullable(root, operation) ? {} : { isNulled: true }) }
  const result = resultOfText(text, root, context)
  return 'error' in result ? result : { ...result, errors: [...errors, ...result.errors] }
}

export function resultOfCall(
  { text, failures }: CustomCallResult,
  root: PlannedField,
  context: ExecutionContext,
): RootResult {
  return resultOfAsync(failures === undefined ? text : { text, failures }, root, context)
}

function selectionsOf(root: PlannedField): readonly PlanMember[] {
  if (root.kind === 'read') return levelOf(root.plan)
  if (root.kind === 'nodes') return root.read === null ? [] : levelOf(root.read.plan)
  if (root.kind === 'custom') return root.plan.result.kind === 'rows' ? levelOf(root.plan.result.read) : []
  return root.kind === 'write' ? root.selections : []
}

export function resultOfError(
  error: unknown,
  root: PlannedField,
  { onError, requestId, engine, operation }: ExecutionContext,
): RootResult {
  const { key } = root
  engine.denials.logError(error, { path: '/graphql', id: requestId })
  const result = {
    key,
    error: formatAnyError(error, onError, requestId, root),
    isNullable: isNullable(root, operation),
  }
  if (!(error instanceof ApiError) || error.code !== 'UNAVAILABLE') return result
  return { ...result, retryAfter: error.headers['retry-after'] ?? '1' }
}

/** The seconds of `Retry-After` if every field failed because the server is unavailable, null otherwise: then the response is a 503,
 *  which clients and proxies repeat. A partial response is not. `__typename` is no reason to keep a 200. */
export function retryAfterOf({ roots }: PlannedOperation, results: readonly RootResult[]): string | null {
  let seconds: string | null = null
  for (const [index, result] of results.entries()) {
    if ('error' in result && result.retryAfter !== undefined) seconds ??= result.retryAfter
    else if (roots[index]?.kind !== 'constant') return null
  }
  return seconds
}

function isNullable(root: PlannedField, { kind }: ExecutionContext['operation']): boolean {
  if (kind === 'mutation') return true
  if (root.kind === 'custom') return !root.plan.operation.required
  return root.kind === 'introspection' || (root.kind === 'read' && root.isNullable)
}

function textOf(root: PlannedField, context: ExecutionContext): string | Promise<string | TextWithFailures> {
  const { operation, variables, viewer, engine, introspection, tokens } = context
  switch (root.kind) {
    case 'read':
      return renderResult(read(root, context), textOfResult)
    case 'nodes':
      return nodesText(root, context)
    case 'custom':
      engine.admitCall(root.plan.operation, viewer)
      return customText(callCustom(root, context), context)
    case 'write':
      engine.admit(writeKindOf(root), viewer)
      if (root.action === 'createEach') return createEachText(root, context)
      return renderResult(writeField(root, context), (result) => {
        if (result.kind === 'bulk') return bulkText(result, root.resultFields)
        return result.kind === 'deleted' ? deletedText(root.of.name, result, root.resultFields) : textOfResult(result)
      })
    case 'upload':
      return uploadText(root, context)
    case 'signIn':
      if (tokens === null) throw new Error('the model has accounts, but there is no token service')
      return signInText(root, context, tokens)
    case 'endSessions':
      if (tokens === null) throw new Error('the model has accounts, but there is no token service')
      return endSessionsText(root, context, tokens)
    case 'code':
      return codeText(root, context)
    case 'signUp':
      engine.admit({ of: engine.model.account!.resource, action: 'create' }, viewer)
      return signUpText(root, context)
    case 'invitation':
      return invitationText(root, context)
    case 'access':
      return accessText(root, context)
    case 'accessMatrix':
      return accessMatrixText(root, context)
    case 'message':
      return messageText(root, context)
    case 'monitor':
      return monitorText(root, context)
    case 'schema':
      return schemaText(root, context)
    case 'mails':
      return mailsText(root, context.mailbox)
    case 'changes':
      if (context.events === null) throw new Error('there is no change feed')
      return changesText(root, variables, viewer, engine, context.events)
    case 'export':
      if (context.exported === null) throw new Error('the schema has an export, but nothing answers it')
      return exportText(root, context, context.exported)
    case 'introspection':
      return introspection.answer(root.nodes, operation, variables)
    case 'constant':
      return JSON.stringify(root.value)
    case 'subscription':
      throw new Error('a subscription can not be executed as a query')
    case 'failed':
      throw root.error
  }
}

function nodesText(
  { read: rows, idsOf }: PlannedNodes,
  context: ExecutionContext,
): string | Promise<string | TextWithFailures> {
  const ids = idsOf(context.variables)
  if (rows === null) return placeNodes('[]', ids)
  return renderResult(read(rows, context), (result) => placeNodes(textOfResult(result), ids))
}

function read(root: PlannedRead, context: ExecutionContext): MaybePromise<PlanResult> {
  const boundPlan = bindRead(root, context.variables)
  recordUsage(boundPlan, context)
  return context.engine.execute(boundPlan, context.viewer, context.readOptions)
}

function callCustom(root: PlannedField & PlannedCustomField, context: ExecutionContext): Promise<CustomCallResult> {
  const { uploads, variables } = context
  const boundPlan = bindPlan(root, variables)
  recordUsage(boundPlan, context)
  return uploads === null ? callCode(boundPlan, root, context) : callCodeWithFiles(boundPlan, root, context, uploads)
}

function callCode(
  boundPlan: BoundPlan<CustomCall>,
  { key }: PlannedField,
  { idempotency, engine, viewer, operation }: ExecutionContext,
): Promise<CustomCallResult> {
  if (idempotency === null || operation.kind !== 'mutation') return engine.call(boundPlan, viewer)
  return engine.call(boundPlan, viewer, { idempotencyKey: idempotency.keyFor(key) })
}

/** Stores the files before it calls the code. They stay even if the call fails, because the code may already refer to them.
 *  The server deletes files to which no row refers for a day. */
async function callCodeWithFiles(
  boundPlan: BoundPlan<CustomCall>,
  root: PlannedField,
  context: ExecutionContext,
  uploads: Uploads,
): Promise<CustomCallResult> {
  const stored = await uploads.storeAll(boundPlan)
  uploads.markUsed(stored.files)
  return callCode(stored.boundPlan, root, context)
}

async function customText(
  called: Promise<CustomCallResult>,
  { idempotency, operation }: ExecutionContext,
): Promise<string | TextWithFailures> {
  const { text, failures, replayed } = await called
  if (idempotency !== null && operation.kind === 'mutation') idempotency[replayed === true ? 'replayed' : 'executed']++
  return failures === undefined ? text : { text, failures }
}

/** Custom code is asynchronous, so a synchronous result has no failures. */
function renderResult(
  result: MaybePromise<PlanResult>,
  render: (result: PlanResult) => string,
): string | Promise<string | TextWithFailures> {
  if (!(result instanceof Promise)) return render(result)
  return result.then((resolved) => {
    if (resolved.kind === 'deleted' && !resolved.found) return { text: render(resolved), failures: [], isMissing: true }
    const failures = failuresOf(resolved)
    return failures.length === 0 ? render(resolved) : { text: render(resolved), failures }
  })
}

/** All results of a batch share one list of failures. */
function failuresOf(result: PlanResult): readonly CodeFailure[] {
  if (result.kind === 'deleted' || result.kind === 'bulk') return []
  if (result.kind === 'batch') return result.answers[0] === undefined ? [] : failuresOf(result.answers[0])
  return result.failures ?? []
}

function writeField(root: PlannedField & PlannedWriteField, context: ExecutionContext): MaybePromise<PlanResult> {
  const { variables, engine, viewer, caller } = context
  const boundPlan = bindWrite(root, variables, engine.limits)
  if (!isDryRun(root, variables)) return write(root.key, boundPlan, context)
  recordUsage(boundPlan, context)
  return engine.execute(boundPlan, viewer, { caller, isDryRun: true })
}

function write(
  key: string,
  boundPlan: BoundPlan<WritePlan | WriteBatch | BulkWrite>,
  context: ExecutionContext,
): MaybePromise<PlanResult> {
  const { idempotency, engine, viewer, uploads, caller, isAsync } = context
  recordUsage(boundPlan, context)
  if (idempotency === null) {
    return uploads === null
      ? engine.execute(boundPlan, viewer, { caller, isAsync })
      : writeFiles(boundPlan, uploads, engine, viewer, { caller, isAsync })
  }
  const options = { idempotencyKey: idempotency.keyFor(key), caller, isAsync }
  const result =
    uploads === null
      ? engine.execute(boundPlan, viewer, options)
      : writeFiles(boundPlan, uploads, engine, viewer, options)
  return andThen(result, (written) => {
    if ('replayed' in written) idempotency.replayed++
    else idempotency.executed++
    return written
  })
}

/** Stores the files of a write before it runs. The request deletes them again if the write fails. */
async function writeFiles(
  boundPlan: BoundPlan<WritePlan | WriteBatch | BulkWrite>,
  uploads: Uploads,
  engine: Engine,
  viewer: Viewer,
  options?: ExecuteOptions,
): Promise<PlanResult> {
  const stored = await uploads.storeAll(boundPlan)
  const result = await engine.execute(stored.boundPlan, viewer, options)
  // A replayed write refers to the files of the first request.
  if (!('replayed' in result)) uploads.markUsed(stored.files)
  return result
}

export function textOfResult(result: PlanResult): string {
  if (result.kind === 'batch') return `[${result.answers.map(textOfResult).join(',')}]`
  if (result.kind === 'deleted' || result.kind === 'bulk') {
    throw new Error(`the engine answered "${result.kind}" to a plan of another kind`)
  }
  return result.text ?? 'null'
}

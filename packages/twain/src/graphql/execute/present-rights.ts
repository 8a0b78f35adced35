// A refusal counts only by the rights that the account has now: rights that have grown since the viewer was read, on whichever node,
// are found before the operation is refused.
//
// 1. A field of a mutation runs again only if it failed as a whole, so that nothing of it is stored. Forbidden fields in the answer to a
//    committed write stay forbidden.
// 2. A row that the field names by its id or key, and that is not there, counts as refused if other rights could show it.

import { ApiError, andThen, type MaybePromise } from '#base'
import type { Viewer } from '#base/http'
import type { PlannedField } from '../plan/plan-operation.ts'
import type { PlannedWriteField } from '../plan/plan-write.ts'
import type { ExecutionContext, RootResult } from './execution-context.ts'

/** Runs again what was refused, if the viewer has more rights now. */
export function withPresentRights<T>(
  context: ExecutionContext,
  run: () => MaybePromise<T>,
  isRefused: (result: T) => boolean,
): MaybePromise<T> {
  return andThen(run(), (result) => {
    const { tokens, viewer, uploads } = context
    if (!isRefused(result) || tokens === null || viewer.account === null || uploads !== null) return result
    return presentViewer(context, tokens).then((fresh) => {
      if (fresh === null) return result
      context.viewer = fresh
      return run()
    })
  })
}

/** Null: the rights have not grown. The fields of a query share one read of them, and so do those of a mutation as soon as they have
 *  grown: an earlier field of it may give a right. */
function presentViewer(
  context: ExecutionContext,
  tokens: NonNullable<ExecutionContext['tokens']>,
): Promise<Viewer | null> {
  context.freshViewer ??= tokens.refreshed(context.viewer).then((fresh) => {
    if (fresh === null && context.operation.kind === 'mutation') context.freshViewer = null
    return fresh
  })
  return context.freshViewer
}

/** Whether other rights could have given the field another result, and it can run again. */
export function isRefusal(result: RootResult, root: PlannedField, context: ExecutionContext): boolean {
  return context.operation.kind === 'mutation'
    ? isRefusedWrite(result, root, context)
    : isRefusedRead(result, root, context)
}

function isRefusedRead(result: RootResult, root: PlannedField, { engine, viewer }: ExecutionContext): boolean {
  if ('error' in result) {
    const { code } = result.error.extensions
    return code === 'FORBIDDEN' || (code === 'NOT_FOUND' && root.kind !== 'custom')
  }
  if (result.text === 'null' && root.kind === 'read' && root.plan.kind === 'one')
    return engine.couldSeeMore(root.plan.of, viewer)
  return result.errors.some(({ extensions }) => extensions.code === 'FORBIDDEN')
}

/** See 1. */
function isRefusedWrite(result: RootResult, root: PlannedField, context: ExecutionContext): boolean {
  const { engine, viewer } = context
  if ('error' in result && result.error.extensions.code === 'FORBIDDEN') return !hasRunCode(root, context)
  const isMissing = 'error' in result ? result.error.extensions.code === 'NOT_FOUND' : result.isMissing === true
  return isMissing && root.kind === 'write' && changesOneRow.has(root.action) && engine.couldSeeMore(root.of, viewer)
}

/** A create that was stored can be NOT_FOUND too, if its row was deleted before it was read back. */
const changesOneRow: ReadonlySet<PlannedWriteField['action']> = new Set(['update', 'delete', 'restore', 'revert'])

/** Whether the code of a mutation has run, which may refuse its caller: it is not run again. */
function hasRunCode(root: PlannedField, { engine, viewer }: ExecutionContext): boolean {
  return root.kind === 'custom' && engine.mayCall(root.plan.operation, viewer)
}

/** For what is refused before it runs, such as a document that names what the viewer can't see. */
export async function runByPresentRights<T>(
  error: unknown,
  { viewer, tokens }: Pick<ExecutionContext, 'viewer' | 'tokens'>,
  run: (viewer: Viewer) => MaybePromise<T>,
): Promise<T> {
  const isRefused = error instanceof HiddenNames || (error instanceof ApiError && error.code === 'FORBIDDEN')
  const fresh = !isRefused || tokens === null || viewer.account === null ? null : await tokens.refreshed(viewer)
  if (fresh === null) throw error instanceof HiddenNames ? error.shown : error
  return run(fresh)
}

/** A document names what this viewer can't see. `shown` is the error of a document that names something unknown. */
export class HiddenNames extends Error {
  readonly shown: unknown

  constructor(shown: unknown) {
    super('a document names what its viewer may not see')
    this.shown = shown
  }
}

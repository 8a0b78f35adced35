// A refusal counts only by the rights that the account has now: rights that have grown since the viewer was read, on whichever node,
// are found before the operation is refused.

import { ApiError, andThen, type MaybePromise } from '#base'
import type { Viewer } from '#base/http'
import type { ExecutionContext, RootResult } from './execution-context.ts'

/** Runs again what was refused, if the viewer has more rights now. They are read once for an operation. */
export function withPresentRights<T>(
  context: ExecutionContext,
  run: () => MaybePromise<T>,
  isRefused: (result: T) => boolean,
): MaybePromise<T> {
  return andThen(run(), (result) => {
    const { tokens, viewer, uploads } = context
    if (!isRefused(result) || tokens === null || viewer.account === null || uploads !== null) return result
    context.freshViewer ??= tokens.refreshed(viewer)
    return context.freshViewer.then((fresh) => {
      if (fresh === null) return result
      context.viewer = fresh
      return run()
    })
  })
}

export function isRefusal(result: RootResult): boolean {
  const errors = 'error' in result ? [result.error] : result.errors
  return errors.some(({ extensions }) => extensions.code === 'FORBIDDEN')
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

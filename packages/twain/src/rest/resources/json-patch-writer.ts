// A JSON patch of a row (docs/reference/rest.md, R49): the row is read as the document that everyone is shown, the operations are done
// on that, and what differs then is written, under the condition that the row is still the one that was read. When it is not,
// the patch begins anew, so that its tests are of the row that it changes.

import { isDeepStrictEqual } from 'node:util'
import { ApiError, isRecord, type Viewer } from '#base'
import type { Engine, ExecuteOptions } from '#engine'
import type { PlanResult } from '#plan'
import type { AnyPlan } from '#plan/explain'
import { applyPatch, type PatchOperation, readPatch } from '../plan/json-patch.ts'
import type { ReadPlanner } from '../plan/plan-read.ts'
import type { WritePlanner } from '../plan/plan-write.ts'
import { visibleText } from '../represent/visible-text.ts'
import type { ParsedRequest } from '../request/parsed-request.ts'
import type { WritePreconditions } from '../request/preconditions.ts'

const maxAttemptCount = 10

export class JsonPatchWriter {
  readonly #engine: Engine
  readonly #reads: ReadPlanner
  readonly #writes: WritePlanner

  constructor(engine: Engine, reads: ReadPlanner, writes: WritePlanner) {
    this.#engine = engine
    this.#reads = reads
    this.#writes = writes
  }

  async apply(
    parsed: ParsedRequest,
    body: unknown,
    conditions: WritePreconditions | null,
    viewer: Viewer,
    options: ExecuteOptions,
    note: (plan: AnyPlan) => void,
  ): Promise<PlanResult> {
    const operations = readPatch(body, this.#engine.limits.transaction)
    // What was patched already no longer is what the operations are about.
    if (options.idempotencyKey !== undefined && (await this.#engine.hasResult(options.idempotencyKey))) {
      return this.#engine.execute(this.#writes.update(parsed, {}, false, conditions), viewer, options)
    }
    for (let tries = 0; tries < maxAttemptCount; tries++) {
      const { text, version } = await this.#read(parsed, viewer)
      const changes = text === null ? {} : changesOf(JSON.parse(visibleText(text, parsed.visibility)), operations)
      // Of a row that is not there the write itself says so, or that nobody unknown may write here.
      const expected = text === null ? conditions : withVersion(version, conditions)
      const boundPlan = this.#writes.update(parsed, changes, false, expected)
      if (tries === 0) note(boundPlan.plan)
      try {
        return await this.#engine.execute(boundPlan, viewer, options)
      } catch (error) {
        if (!(error instanceof ApiError) || error.code !== 'PRECONDITION_FAILED') throw error
        if (!(await this.#hasChanged(parsed, viewer, version))) throw error
      }
    }
    throw new ApiError('CONFLICT', 'The row is changed by others all the time; try again.')
  }

  async #hasChanged(parsed: ParsedRequest, viewer: Viewer, version: number): Promise<boolean> {
    return (await this.#read(parsed, viewer)).version !== version
  }

  /** As everyone is shown it: `fields` says what the write answers. */
  async #read(parsed: ParsedRequest, viewer: Viewer): Promise<PlanResult & { kind: 'one' }> {
    const { fields: _, ...words } = parsed.query.parameters
    const whole = { ...parsed, query: { ...parsed.query, words } }
    const answer = await this.#engine.execute(this.#reads.item(whole), viewer, {
      isDefaultSelection: true,
      fresh: true,
    })
    if (answer.kind !== 'one') throw new Error(`the engine answered with "${answer.kind}", which was not asked for`)
    return answer
  }
}

/** What the client asks of the version stands, where this one does not meet it. */
function withVersion(version: number, conditions: WritePreconditions | null): WritePreconditions {
  const own = conditions ?? { presence: null, versions: null, otherVersions: null, unmodifiedSince: null }
  return own.versions !== null && !own.versions.includes(version) ? own : { ...own, versions: [version] }
}

/** The members that differ, or that an operation names: the write itself compares them; what is gone is null. */
function changesOf(document: Record<string, unknown>, operations: readonly PatchOperation[]): unknown {
  const patched = applyPatch(document, operations)
  if (!isRecord(patched)) return patched
  const after = new Map(Object.entries(patched))
  for (const name of Object.keys(document)) if (!after.has(name)) after.set(name, null)
  const named = new Set(operations.flatMap((operation) => (operation.op === 'test' ? [] : (operation.path[0] ?? []))))
  return Object.fromEntries(
    [...after].filter(([name, value]) => named.has(name) || !isDeepStrictEqual(document[name], value)),
  )
}

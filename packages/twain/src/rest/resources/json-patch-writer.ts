// Applies a JSON patch to a row (docs/reference/rest.md, R49): reads the default representation, applies the operations, and
// writes the changed members on the condition that the row still has the same version. If it has not, the patch starts again, so
// that its tests hold for the row that it changes.

import { isDeepStrictEqual } from 'node:util'
import { ApiError, isRecord, validationError } from '#base'
import type { Viewer } from '#base/http'
import type { Engine, ExecuteOptions } from '#engine'
import type { Resource } from '#model'
import type { PlanResult } from '#plan'
import type { AnyBoundPlan } from '#plan/explain'
import { applyPatch, type PatchOperation, readPatch } from '../plan/json-patch.ts'
import type { ReadPlanner } from '../plan/plan-read.ts'
import type { WritePlanner } from '../plan/plan-write.ts'
import { visibleText } from '../represent/absent-fields.ts'
import { type ParsedRequest, resourceOf } from '../request/parsed-request.ts'
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
    recordUsage: (boundPlan: AnyBoundPlan) => void,
  ): Promise<PlanResult> {
    const operations = readPatch(body, this.#engine.limits.transaction)
    // A retry must not apply the operations again: the row is already patched.
    if (options.idempotencyKey !== undefined && (await this.#engine.hasResult(options.idempotencyKey))) {
      return this.#engine.execute(this.#writes.update(parsed, {}, false, conditions), viewer, options)
    }
    for (let tries = 0; tries < maxAttemptCount; tries++) {
      const { text, version } = await this.#read(parsed, viewer)
      const changes = text === null ? {} : changesOf(JSON.parse(visibleText(text, parsed.visibility)), operations)
      // The write itself reports a missing row, or a missing token.
      const expected = text === null ? conditions : withVersion(version, conditions)
      expectFields(changes, resourceOf(parsed))
      const boundPlan = this.#writes.update(parsed, changes, false, expected)
      if (tries === 0) recordUsage(boundPlan)
      try {
        return await this.#engine.execute(boundPlan, viewer, options)
      } catch (error) {
        if (!(error instanceof ApiError) || error.code !== 'PRECONDITION_FAILED') throw error
        if (!(await this.#hasChanged(parsed, viewer, version))) throw error
      }
    }
    throw new ApiError('CONFLICT', 'Other writes keep changing this row; try again.')
  }

  async #hasChanged(parsed: ParsedRequest, viewer: Viewer, version: number): Promise<boolean> {
    return (await this.#read(parsed, viewer)).version !== version
  }

  /** The default representation: `fields` only applies to the response. */
  async #read(parsed: ParsedRequest, viewer: Viewer): Promise<PlanResult & { kind: 'one' }> {
    const { fields: _, ...parameters } = parsed.query.parameters
    const whole = { ...parsed, query: { ...parsed.query, parameters } }
    const answer = await this.#engine.execute(this.#reads.item(whole), viewer, {
      isDefaultSelection: true,
      fresh: true,
    })
    if (answer.kind !== 'one') throw new Error(`unexpected result of the engine: "${answer.kind}"`)
    return answer
  }
}

/** Adds the version that was read, unless the client's own preconditions exclude it. */
function withVersion(version: number, conditions: WritePreconditions | null): WritePreconditions {
  const sent = conditions ?? { presence: null, versions: null, otherVersions: null, unmodifiedSince: null }
  return sent.versions !== null && !sent.versions.includes(version) ? sent : { ...sent, versions: [version] }
}

/** A JSON patch changes the row as a document, which has no `_increment` or other commands of a merge patch. */
function expectFields(changes: unknown, of: Resource): void {
  if (!isRecord(changes)) return
  const commands = Object.keys(changes).filter((name) => name.startsWith('_') && !of.fields.has(name))
  if (commands.length === 0) return
  throw validationError(
    commands.map((path) => ({
      path,
      code: 'UNKNOWN',
      message: `"${path}" is not a field of ${of.name}; a JSON patch has fields only. Send it in a merge patch.`,
    })),
  )
}

/** The members that differ or that an operation names; removed members are null. */
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

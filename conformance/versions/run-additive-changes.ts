// For a random additive pair of schemas: every request that succeeded under the first succeeds under the second, with the same answer
// for the old fields.
//
// 1. Reads are sent when all rows are written, and again under the second schema. The second answer may have new fields; names with a
//    warning (`__typename`, a renamed enum value) are compared by their new names.
// 2. A row can be written back as it was read, under either; and a create can be repeated.

import assert from 'node:assert/strict'
import fc from 'fast-check'
import { compareModels, findRenames } from '../../packages/twain/src/model/compare/index.ts'
import { loadModel, SchemaMistakes } from '../../packages/twain/src/model/index.ts'
import { Draw } from '../generate/draw.ts'
import { Oracle } from '../generate/oracle.ts'
import { compareRandomQuery } from '../generate/random-queries.ts'
import { drawSchema, schemaSdl } from '../generate/random-schema.ts'
import { changeRandomRows, writeRandomRows } from '../generate/random-writes.ts'
import { ChangingService } from '../harness/changing-service.ts'
import type { ApiClient, GraphqlAnswer, RestAnswer } from '../harness/open-apis.ts'
import { editSchema } from './random-edits.ts'

interface PairOutcome {
  /** `mistaken`: the second is no valid schema. */
  classified: 'mistaken' | 'breaking' | 'additive'
  /** Requests that were sent under both. */
  requests: number
}

const questions = 12
const maxEdits = 5

/** Runs so many pairs; returns how each was classified, and the number of requests under both schemas. Rejects at the first answer
 *  that differs. */
export async function runAdditiveChanges(runs: number, seed: number) {
  const classified = { additive: 0, breaking: 0, mistaken: 0 }
  let sent = 0
  await fc.assert(
    fc.asyncProperty(fc.gen(), async (value) => {
      const outcome = await additivePair(new Draw(value))
      classified[outcome.classified]++
      sent += outcome.requests
    }),
    { numRuns: runs, endOnFailure: true, seed },
  )
  return { outcomes: classified, requests: sent }
}

async function additivePair(draw: Draw): Promise<PairOutcome> {
  const oracle = new Oracle(drawSchema(draw))
  const before = schemaSdl(oracle.sketch)
  const { sdl: after, edits } = editSchema(draw, before, maxEdits)
  const was = load(before)
  const is = loadOrNull(after)
  if (is === null) return { classified: 'mistaken', requests: 0 }
  const differences = compareModels(was, is)
  if (differences.some(({ kind }) => kind === 'breaking')) return { classified: 'breaking', requests: 0 }
  const service = await ChangingService.open(before)
  try {
    const made = new Recorded(service)
    await writeRandomRows(draw, made, oracle)
    await changeRandomRows(
      draw,
      { rest: service.rest.bind(service), graphql: service.graphqlAnswer.bind(service) },
      oracle,
    )
    const read = new Recorded(service)
    for (let round = 0; round < questions; round++) await compareRandomQuery(draw, read, oracle)
    for (const { list, name } of oracle.sketch.types) {
      for (const { id } of oracle.rows(name)) {
        const row = await read.rest('GET', `/${list}/${id}`)
        await read.rest('PUT', `/${list}/${id}`, row.body)
      }
    }
    await service.change(after)
    const same = new SameAnswer(findRenames(was, is))
    for (const one of read.requests) same.expect(one, await again(one, service))
    const creates = made.requests.filter((one) => one.isWrite && !namesGone(one, made, oracle))
    for (const one of creates) same.expect(one, await again(one, service), ['id'])
    return { classified: 'additive', requests: read.requests.length + creates.length }
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error)
    throw new Error(`${before}\n→ ${edits.join(', ')} →\n${after}\n${message}`, { cause: error })
  } finally {
    await service.close()
  }
}

/** Whether a create refers to a row that was deleted meanwhile. */
function namesGone(create: Request, made: Recorded, oracle: Oracle): boolean {
  const there = new Set(oracle.sketch.types.flatMap(({ name }) => oracle.rows(name).map(({ id }) => id)))
  const ids = made.requests.flatMap(({ answer }) => /"id":"([^"]+)"/.exec(JSON.stringify(answer))?.[1] ?? [])
  const sent = JSON.stringify(create.api === 'rest' ? create.body : create.variables)
  return ids.some((id) => !there.has(id) && sent.includes(id))
}

function loadOrNull(sdl: string) {
  try {
    return load(sdl)
  } catch (error) {
    if (error instanceof SchemaMistakes) return null
    throw error
  }
}

function load(sdl: string) {
  return loadModel(sdl, 'a.graphql')
}

type Request = { isWrite: boolean; answer: unknown } & (
  | { api: 'rest'; method: string; path: string; body: unknown; headers: Record<string, string> }
  | { api: 'graphql'; query: string; variables: unknown }
)

/** Requests that succeeded. */
class Recorded implements ApiClient {
  readonly requests: Request[] = []
  readonly #service: ChangingService

  constructor(service: ChangingService) {
    this.#service = service
  }

  async rest(method: string, path: string, body?: unknown, headers: Record<string, string> = {}): Promise<RestAnswer> {
    const answer = await this.#service.rest(method, path, body, headers)
    if (answer.status < 300) {
      const isWrite = method !== 'GET'
      this.requests.push({ api: 'rest', isWrite, method, path, body, headers, answer: answer.body })
    }
    return answer
  }

  async graphql(query: string, variables?: unknown): Promise<GraphqlAnswer> {
    const answer = await this.#service.graphqlAnswer(query, variables)
    const isWrite = query.startsWith('mutation')
    if (answer.errors.length === 0) {
      this.requests.push({ api: 'graphql', isWrite, query, variables, answer: answer.data })
    }
    return answer
  }
}

/** Throws when it does not succeed. */
async function again(request: Request, service: ChangingService): Promise<unknown> {
  if (request.api === 'graphql') return service.graphql(request.query, request.variables)
  const { method, path, body, headers } = request
  const reply = await service.follow(method, path, body, headers)
  assert.ok(reply.status < 300, `${method} ${path} ${JSON.stringify(body)}: ${JSON.stringify(reply)}`)
  return reply.body
}

class SameAnswer {
  readonly #names: ReadonlyMap<string, string>
  readonly #hasValues: boolean

  constructor({ types, values }: ReturnType<typeof findRenames>) {
    const byValue = [...values].map(([path, now]): [string, string] => [path.slice(path.indexOf('.') + 1), now])
    this.#names = new Map([...types, ...byValue])
    this.#hasValues = byValue.length > 0
  }

  expect(request: Request, now: unknown, apart: readonly string[] = []): void {
    const found = this.#lacks(request.answer, now, '', apart)
    if (found === null) return
    const { answer, ...sent } = request
    assert.fail(`${found}\nof ${JSON.stringify(sent)}\nwas ${JSON.stringify(answer)}\nis ${JSON.stringify(now)}`)
  }

  /** The places where a part of the earlier answer is missing or different. */
  #lacks(was: unknown, is: unknown, place: string, apart: readonly string[]): string | null {
    if (Array.isArray(was)) {
      if (!Array.isArray(is) || is.length !== was.length) return `${place} has other items`
      return first(was.map((item, index) => this.#lacks(item, is[index], `${place}.${index}`, apart)))
    }
    if (typeof was === 'object' && was !== null) {
      if (typeof is !== 'object' || is === null) return `${place} is missing`
      const members = Object.entries(was).filter(([key]) => !apart.includes(key))
      const now = is as Record<string, unknown>
      return first(members.map(([key, member]) => this.#lacks(member, now[key], `${place}.${key}`, apart)))
    }
    // A cursor has the sort keys of its row, with enum values by their current names.
    if (this.#hasValues && /ursor$/.test(place) && typeof is === 'string') return null
    const renamed = typeof was === 'string' ? this.#names.get(was) : undefined
    return was === is || (renamed !== undefined && renamed === is) ? null : `${place} is something else`
  }
}

function first(found: readonly (string | null)[]): string | null {
  return found.find((one) => one !== null) ?? null
}

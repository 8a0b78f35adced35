// A fuzz driver for any server with an OpenAPI document: it generates valid and invalid requests from the document, and checks each
// reply against it. `node fuzz.ts http://127.0.0.1:4000 5000 1` drives a running server.

import { type FuzzReply, ReplyCheck } from './check-reply.ts'
import { ApiDocument } from './openapi-document.ts'
import { Random } from './random.ts'
import { type FuzzRequest, makeRequest } from './requests.ts'
import { Values } from './values.ts'

export type Send = (request: FuzzRequest) => Promise<FuzzReply>

export interface Report {
  sent: number
  /** How often each status came. */
  statuses: Map<number, number>
  /** Media types of replies, `text/csv`, and of accepted bodies: `POST application/xml`, `an array`. */
  types: Set<string>
  /** Operations that succeeded at least once. */
  succeeded: Set<string>
  /** Each with what is needed to reproduce it. */
  problems: string[]
}

const mostProblems = 10
const mostIds = 50

export async function fuzz(json: object, send: Send, requests: number, seed: number): Promise<Report> {
  const document = new ApiDocument(json)
  const random = new Random(seed)
  const known = new Map<string, string[]>()
  const ids = (type: string) => document.typesOf(type).flatMap((one) => known.get(one) ?? [])
  const tags = new Map<string, string>()
  const rows = new Map<string, Record<string, unknown>[]>()
  let link: { path: string; target: string } | null = null
  const values = new Values(document, random, ids)
  const check = ReplyCheck.of(json)
  const report: Report = { sent: 0, statuses: new Map(), types: new Set(), succeeded: new Set(), problems: [] }
  const replaced = new Set(document.operations.filter(({ method }) => method === 'PUT').map(({ tag }) => tag))
  while (report.sent < requests && report.problems.length < mostProblems) {
    const linked = (path: string) => (link?.path === path ? link.target : undefined)
    const rowsOf = (type: string) => rows.get(type) ?? []
    const making = { document, random, values, ids, tags: (path: string) => tags.get(path), linked, rows: rowsOf }
    const request = makeRequest(chooseOperation(), making)
    const reply = await send(request)
    report.sent++
    report.statuses.set(reply.status, (report.statuses.get(reply.status) ?? 0) + 1)
    const problem = check.problem(request, reply)
    if (problem !== null) report.problems.push(describeProblem(request, reply, problem))
    report.types.add(typeIn(reply.headers))
    if (reply.status < 400) succeed(request)
    learn(request, reply)
  }
  return report

  function succeed({ operation, method, headers, body }: FuzzRequest): void {
    report.succeeded.add(operation.id)
    if (body === undefined) return
    report.types.add(`${method} ${typeIn(headers)}`)
    if (method === 'POST' && body.startsWith('[')) report.types.add('an array')
  }

  /** A type whose rows are all deleted gets new ones. Creates come first and often, deletes rarely, so that there are rows to read; the other operations are equally frequent. A new
   *  link is often removed at once, since later one of its rows may be deleted. */
  function chooseOperation() {
    const { operations } = document
    const creates = operations.filter(
      ({ method, path, deprecated }) => method === 'POST' && !path.includes('{') && !deprecated,
    )
    if (report.sent < creates.length * 4) return creates[report.sent % creates.length]!
    const rowless = creates.find(({ tag }) => ids(tag).length === 0 && replaced.has(tag))
    if (rowless !== undefined && random.chance(0.1)) return rowless
    const unlink = operations.find(({ method, path }) => method === 'DELETE' && path === link?.path)
    if (unlink !== undefined && random.chance(0.5)) return unlink
    const chosen = operations[report.sent % operations.length]!
    // A filter may match all rows, and what refers to them goes too.
    if (chosen.method === 'DELETE' && !chosen.path.includes('{') && report.sent < requests * 0.8) return operations[0]!
    return chosen.method === 'DELETE' && random.chance(0.7) ? random.one(operations) : chosen
  }

  function learn({ operation, method, target }: FuzzRequest, { status, headers, body }: FuzzReply): void {
    const [path = '', id = ''] = [target.split('?')[0], target.split(/[/?]/)[2]]
    if (headers.etag !== undefined && status < 300) tags.set(headers.location ?? path, headers.etag)
    if (status === 201 && !operation.path.includes('/{id}/')) {
      const made = headers.location?.split('/').at(-1)
      for (const one of made === undefined ? idsIn(body) : [made]) remember(operation.tag, one)
    }
    const isRow = status < 300 && body.startsWith('{"id"') && headers['content-type']?.startsWith('application/json')
    if (isRow) rows.set(operation.tag, [JSON.parse(body), ...(rows.get(operation.tag) ?? [])].slice(0, mostIds))
    const isLink = status === 204 && method === 'PUT' && operation.path.includes('/{id}/')
    link = isLink ? { path: operation.path, target: path } : null
    if (status === 204 && method === 'DELETE' && operation.path.endsWith('/{id}')) forget(operation.tag, [id])
    if (status === 200 && method === 'DELETE' && !target.includes('dryRun=true')) forget(operation.tag, deletedIn(body))
  }

  function forget(type: string, gone: readonly string[]): void {
    known.set(
      type,
      ids(type).filter((one) => !gone.includes(one)),
    )
  }

  function remember(type: string, id: string): void {
    known.set(type, [id, ...ids(type)].slice(0, mostIds))
  }
}

function typeIn(headers: Record<string, string>): string {
  return (headers['content-type'] ?? '').split(';')[0]!
}

/** The ids in an array of rows, if it is JSON and has them. */
function idsIn(body: string): string[] {
  if (!body.startsWith('[')) return []
  return (JSON.parse(body) as { id?: string }[]).flatMap(({ id }) => (id === undefined ? [] : [id]))
}

/** The ids in the answer to a delete of several rows. */
function deletedIn(body: string): string[] {
  return (JSON.parse(body) as { ids?: string[] }).ids ?? []
}

function describeProblem(
  { method, target, headers, body, wrong }: FuzzRequest,
  reply: FuzzReply,
  problem: string,
): string {
  const sent = `${method} ${target} ${JSON.stringify(headers)} ${body ?? ''}`
  return `${problem}\n  ${sent.slice(0, 1500)}\n  (wrong: ${wrong ?? 'nothing'}) → ${reply.status} ${reply.body.slice(0, 600)}`
}

/** Over the network. */
export function sendTo(address: string): Send {
  return async ({ method, target, headers, body }) => {
    const init: RequestInit = { method, headers, redirect: 'manual' }
    if (body !== undefined) init.body = body
    const reply = await fetch(address + target, init)
    return { status: reply.status, headers: Object.fromEntries(reply.headers), body: await reply.text() }
  }
}

if (import.meta.main) {
  const [address = 'http://127.0.0.1:4000', requests = '5000', seed = '1'] = process.argv.slice(2)
  const json = (await (await fetch(`${address}/openapi.json?profile=full`)).json()) as object
  const { sent, statuses, problems } = await fuzz(json, sendTo(address), Number(requests), Number(seed))
  console.log(`${sent} requests, seed ${seed}:`, Object.fromEntries([...statuses].sort()))
  for (const problem of problems) console.log(`\n${problem}`)
  process.exitCode = problems.length === 0 ? 0 : 1
}

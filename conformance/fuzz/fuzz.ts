// A fuzz driver for any server that has an OpenAPI document: makes requests from the document, right ones and wrong ones,
// and holds each reply against it. `node fuzz.ts http://127.0.0.1:4000 5000 1` drives a running server.

import { type FuzzReply, ReplyCheck } from './check-reply.ts'
import { ApiDocument } from './document.ts'
import { Random } from './random.ts'
import { type FuzzRequest, makeRequest } from './requests.ts'
import { Values } from './values.ts'

export type Send = (request: FuzzRequest) => Promise<FuzzReply>

export interface Report {
  sent: number
  /** How often each status came. */
  statuses: Map<number, number>
  /** Operations that succeeded at least once. */
  succeeded: Set<string>
  /** Each with what is needed to do it again. */
  problems: string[]
}

const mostProblems = 10
const mostIds = 50

export async function fuzz(json: object, send: Send, requests: number, seed: number): Promise<Report> {
  const document = new ApiDocument(json)
  const random = new Random(seed)
  const known = new Map<string, string[]>()
  const ids = (type: string) => known.get(type) ?? []
  const values = new Values(document, random, ids)
  const check = new ReplyCheck(document)
  const report: Report = { sent: 0, statuses: new Map(), succeeded: new Set(), problems: [] }
  while (report.sent < requests && report.problems.length < mostProblems) {
    const request = makeRequest(chooseOperation(), { document, random, values, ids })
    const reply = await send(request)
    report.sent++
    report.statuses.set(reply.status, (report.statuses.get(reply.status) ?? 0) + 1)
    const problem = check.problem(request, reply)
    if (problem !== null) report.problems.push(tell(request, reply, problem))
    if (reply.status < 300) report.succeeded.add(request.operation.id)
    learn(request, reply)
  }
  return report

  /** Creating first and often, deleting rarely, so that there is something to ask for. */
  function chooseOperation() {
    const { operations } = document
    const creates = operations.filter(({ method, path }) => method === 'POST' && !path.includes('{'))
    if (report.sent < creates.length * 4) return creates[report.sent % creates.length]!
    const chosen = random.one(operations)
    return chosen.method === 'DELETE' && random.chance(0.7) ? random.one(operations) : chosen
  }

  function learn({ operation, method, target }: FuzzRequest, { status, headers }: FuzzReply): void {
    const id = headers.location?.split('/').at(-1)
    if (status === 201 && id !== undefined && !operation.path.includes('/{id}/')) remember(operation.tag, id)
    if (status === 204 && method === 'DELETE') {
      const gone = target.split(/[/?]/)[2]
      known.set(
        operation.tag,
        ids(operation.tag).filter((one) => one !== gone),
      )
    }
  }

  function remember(type: string, id: string): void {
    known.set(type, [id, ...ids(type)].slice(0, mostIds))
  }
}

function tell({ method, target, headers, body, wrong }: FuzzRequest, reply: FuzzReply, problem: string): string {
  const asked = `${method} ${target} ${JSON.stringify(headers)} ${body ?? ''}`
  return `${problem}\n  ${asked.slice(0, 1500)}\n  (wrong: ${wrong ?? 'nothing'}) → ${reply.status} ${reply.body.slice(0, 600)}`
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
  const json = (await (await fetch(`${address}/openapi.json`)).json()) as object
  const { sent, statuses, problems } = await fuzz(json, sendTo(address), Number(requests), Number(seed))
  console.log(`${sent} requests, seed ${seed}:`, Object.fromEntries([...statuses].sort()))
  for (const problem of problems) console.log(`\n${problem}`)
  process.exitCode = problems.length === 0 ? 0 : 1
}

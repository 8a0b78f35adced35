// CPU time per request, Twain compared with the baseline. Rounds alternate, so that other load on the machine affects both
// alike.

import { join } from 'node:path'
import { type Case, cases, type RawRequest } from './cases.ts'
import type { LoadOrder } from './load.ts'
import { MeasuredProcess } from './measured-process.ts'

export interface ReadResult {
  name: string
  target: number
  /** Medians, in µs of CPU time per request. */
  twain: number
  baseline: number
  ratio: number
}

export interface Server {
  process: MeasuredProcess
  port: number
  /** The credentials of each request; absent: none. */
  authorization?: string
}

const rounds = 7
const roundTime = 800
const connections = 8
/** Milliseconds until the compiler is idle: a service runs for days, and its compiler for seconds. A larger program takes
 *  longer (measured: after 6 s under load it still took 24 µs of each of Twain's requests, and 6 of the baseline's). */
const warmUp = 15_000

export async function measureReads(twain: Server, baseline: Server, some = cases): Promise<ReadResult[]> {
  const load = new MeasuredProcess(join(import.meta.dirname, 'load.ts'), [])
  const results: ReadResult[] = []
  for (const server of [twain, baseline]) await costOf(server, load, some[0]!, warmUp)
  for (const each of some) {
    await expectSameAnswers(each, twain, baseline)
    results.push(await measureCase(each, load, twain, baseline))
  }
  await load.stop()
  return results
}

/** The nested list compared with graphql-js and DataLoader: `ratio` is their time divided by ours. */
export async function measurePeer(twain: Server, peer: Server): Promise<ReadResult> {
  const load = new MeasuredProcess(join(import.meta.dirname, 'load.ts'), [])
  const nested = { ...cases[0]!, name: 'The same compared with graphql-js and DataLoader', target: 3.5 }
  await expectSameAnswers(nested, twain, peer)
  const result = await measureCase(nested, load, twain, peer)
  await load.stop()
  return { ...result, ratio: 1 / result.ratio }
}

export async function measureCase(
  each: Case,
  load: MeasuredProcess,
  twain: Server,
  baseline: Server,
): Promise<ReadResult> {
  for (const server of [twain, baseline]) await costOf(server, load, each, 5000)
  const costs = { twain: [] as number[], baseline: [] as number[] }
  for (let round = 0; round < rounds; round++) {
    costs.twain.push(await costOfOne(twain))
    costs.baseline.push(await costOfOne(baseline))
  }
  // A slow moment of the machine affects both halves of a round, so rounds are compared and not their medians.
  const ratio = median(costs.twain.map((cost, round) => cost / costs.baseline[round]!))
  return { name: each.name, target: each.target, twain: median(costs.twain), baseline: median(costs.baseline), ratio }

  async function costOfOne(server: Server): Promise<number> {
    const { cpu, answers } = await costOf(server, load, each, roundTime)
    return cpu / answers
  }
}

/** µs of CPU time in total, and the number of responses. */
export async function costOf(
  server: Server,
  load: MeasuredProcess,
  each: Case,
  milliseconds: number,
): Promise<{ cpu: number; answers: number }> {
  const { port, authorization = null } = server
  const order: LoadOrder = { port, requests: each.requests, authorization, connections, milliseconds }
  const before = await server.process.read()
  const { answers } = await load.carryOut(order)
  const after = await server.process.read()
  return { cpu: after.cpu - before.cpu, answers }
}

/** The comparison is only fair when both send the same bytes. */
export async function expectSameAnswers(each: Case, twain: Server, baseline: Server): Promise<void> {
  for (const request of each.requests.slice(0, 20)) {
    const [ours, theirs] = await Promise.all([answerOf(twain, request), answerOf(baseline, request)])
    if (ours !== theirs) throw new Error(`${each.name}: the responses differ.\n twain ${ours}\n baseline ${theirs}`)
  }
}

async function answerOf(server: Server, { method, path, body }: RawRequest): Promise<string> {
  const reply = await fetch(`http://127.0.0.1:${server.port}${path}`, {
    method,
    body,
    headers: {
      ...(body === null ? {} : { 'content-type': 'application/json' }),
      ...(server.authorization === undefined ? {} : { authorization: server.authorization }),
    },
  })
  return `${reply.status} ${await reply.text()}`
}

export function median(numbers: number[]): number {
  return numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)]!
}

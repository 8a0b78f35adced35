// All faults on one cluster, one after the other. Between them the cluster becomes whole again.

import { setTimeout as pause } from 'node:timers/promises'
import { ServerProcess } from '../harness/server-process.ts'
import { openReceiver } from '../webhooks/receiver.ts'
import { checkRun, type RunReport } from './check-run.ts'
import { Cluster } from './cluster.ts'
import type { Fault } from './faults.ts'
import { Load } from './load.ts'
import { Operator } from './operator.ts'
import type { Programs } from './packages.ts'
import { readRows, StreamReader } from './readers.ts'

interface ClusterRun {
  programs: Programs
  schemaFile: string
  folder: string
  faults: readonly Fault[]
  isSynchronous: boolean
}

const writers = 8
/** How long readers may take to get the last changes. */
const settleSeconds = 60

export async function runOnCluster({ programs, schemaFile, folder, faults, isSynchronous }: ClusterRun): Promise<void> {
  const cleanups: (() => Promise<void>)[] = []
  const cluster = await Cluster.start(programs, isSynchronous)
  cleanups.push(() => cluster.stop())
  const interrupted = async () => {
    await cluster.stop()
    process.exit(1)
  }
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, interrupted)
  const nodes: ServerProcess[] = []
  const outputs = () => nodes.map(({ output }) => output.slice(-3000)).join('\n')
  try {
    const flags = ['--database', cluster.address, '--webhooks-allow-private', 'true', '--log-requests', 'false']
    for (const name of ['one', 'two']) {
      const node = await ServerProcess.start(schemaFile, `${folder}/${name}`, flags)
      cleanups.push(() => node.stop())
      nodes.push(node)
    }
    const receiver = await openReceiver({ after: () => undefined })
    cleanups.push(() => receiver.close())
    const operator = new Operator(nodes[0]!.address, cluster.address)
    await operator.createWebhook(receiver.url)
    for (const [index, fault] of faults.entries()) {
      const run = { fault, cluster, nodes, operator, isSynchronous, prefix: `run${index}` }
      const got = () => receiver.got.map(({ event }) => String(event.data.text))
      print(fault.name, await runFault(run, got))
      await cluster.healthy()
    }
  } catch (error) {
    throw new Error(`${String(error)}\n${outputs()}\n${cluster.logs()}`, { cause: error })
  } finally {
    for (const cleanup of cleanups.reverse()) await cleanup()
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.off(signal, interrupted)
  }
}

interface FaultRun {
  fault: Fault
  cluster: Cluster
  nodes: readonly ServerProcess[]
  operator: Operator
  isSynchronous: boolean
  prefix: string
}

async function runFault(run: FaultRun, got: () => string[]): Promise<RunReport> {
  const { fault, cluster, nodes, operator, isSynchronous } = run
  const prefix = `${run.prefix} `
  const addresses = nodes.map(({ address }) => address)
  const readers = await Promise.all(addresses.map((address) => StreamReader.open(address, prefix)))
  const load = new Load(addresses, run.prefix, writers)
  await load.acknowledges(100, 60)
  const since = await fault.cause(cluster, load, isSynchronous)
  await load.acknowledges(100, 120)
  await load.end()
  await cluster.healthy() // a primary that was replaced may answer until it knows
  const rows = await readRows(addresses[0]!, prefix)
  const pauses = await settle(rows, readers, got, operator)
  await Promise.all(readers.map((reader) => reader.stop()))
  const texts = got().filter((text) => text.startsWith(prefix))
  const { mayLose, patroniSeconds = 0 } = fault
  return checkRun({ load, rows, readers, webhook: { texts, pauses }, since, isSynchronous, mayLose, patroniSeconds })
}

/** Until every reader has all rows. An operator activates a paused webhook. Returns how often. */
async function settle(
  rows: readonly string[],
  readers: readonly StreamReader[],
  got: () => string[],
  operator: Operator,
): Promise<number> {
  let pauses = 0
  const end = performance.now() + settleSeconds * 1000
  while (performance.now() < end) {
    if (await operator.activateWebhook()) pauses++
    const told = new Set(got())
    const haveAll = readers.every(({ texts }) => rows.every((text) => texts.has(text)))
    if (haveAll && rows.every((text) => told.has(text))) break
    await pause(250)
  }
  return pauses
}

function print(name: string, { acknowledged, lost, refused, unknown, pauseSeconds, gone }: RunReport): void {
  console.log(
    `${name.padEnd(40)} ${acknowledged} acknowledged, ${lost} of them lost; ${refused} refused, ${unknown} unknown; ` +
      `longest pause ${pauseSeconds.toFixed(1)} s; ${gone} of 3 readers told GONE`,
  )
}

// All faults on one cluster, one after the other. Between them the cluster becomes whole again.

import { setTimeout as pause } from 'node:timers/promises'
import { ServerProcess } from '../harness/server-process.ts'
import { openReceiver } from '../webhooks/receiver.ts'
import { Availability } from './availability.ts'
import { checkRun, type RunReport } from './check-run.ts'
import { Cluster, patienceSeconds } from './cluster.ts'
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

export async function runOnCluster({ programs, schemaFile, folder, faults, isSynchronous }: ClusterRun): Promise<void> {
  const cleanups: (() => Promise<void>)[] = []
  const cluster = await Cluster.start(programs, isSynchronous)
  cleanups.push(() => cluster.stop())
  const cleanUp = async () => {
    for (const cleanup of cleanups.splice(0).reverse()) await cleanup()
  }
  const interrupted = async () => {
    await cleanUp()
    process.exit(1)
  }
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, interrupted)
  const nodes: ServerProcess[] = []
  const outputs = () => nodes.map(({ output }) => output.slice(-3000)).join('\n')
  try {
    await cluster.healthy()
    const flags = [
      ...['--database', cluster.address, '--webhooks-allow-private', 'true', '--log-requests', 'false'],
      ...['--database-outage-wait-seconds', '28'], // longer than Patroni's `ttl`, as the documents advise
    ]
    const availability = new Availability(cluster.address)
    cleanups.push(() => availability.stop())
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
      const run = { fault, cluster, availability, nodes, operator, isSynchronous, prefix: `run${index}` }
      const got = () => receiver.got.map(({ event }) => String(event.data.text))
      print(fault.name, await runFault(run, got))
      await cluster.healthy()
    }
  } catch (error) {
    throw new Error(`${String(error)}\n${outputs()}\n${cluster.logs()}`, { cause: error })
  } finally {
    await cleanUp()
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.off(signal, interrupted)
  }
}

interface FaultRun {
  fault: Fault
  cluster: Cluster
  availability: Availability
  nodes: readonly ServerProcess[]
  operator: Operator
  isSynchronous: boolean
  prefix: string
}

async function runFault(run: FaultRun, got: () => string[]): Promise<RunReport> {
  const { fault, cluster, availability, nodes, operator, isSynchronous } = run
  const prefix = `${run.prefix} `
  const addresses = nodes.map(({ address }) => address)
  const readers = await Promise.all(addresses.map((address) => StreamReader.open(address, prefix)))
  const load = new Load(addresses, run.prefix, writers)
  await load.acknowledges(100)
  const since = await fault.cause(cluster, load, isSynchronous)
  await load.acknowledges(100)
  await load.end()
  await cluster.healthy() // a primary that was replaced may answer until it knows
  const rows = await readRows(addresses[0]!, prefix)
  const pauses = await settle(rows, readers, got, operator)
  await Promise.all(readers.map((reader) => reader.stop()))
  const texts = got().filter((text) => text.startsWith(prefix))
  const webhook = { texts, pauses }
  return checkRun({ load, availability, rows, readers, webhook, since, isSynchronous, mayLose: fault.mayLose })
}

/** Until every reader has all rows. An operator activates a paused webhook. Returns how often. */
async function settle(
  rows: readonly string[],
  readers: readonly StreamReader[],
  got: () => string[],
  operator: Operator,
): Promise<number> {
  let pauses = 0
  const end = performance.now() + patienceSeconds * 1000
  while (performance.now() < end) {
    if (await operator.activateWebhook()) pauses++
    const told = new Set(got())
    const haveAll = readers.every(({ texts }) => rows.every((text) => texts.has(text)))
    if (haveAll && rows.every((text) => told.has(text))) break
    await pause(250)
  }
  return pauses
}

function print(
  name: string,
  { acknowledged, lost, refused, unknown, pauseSeconds, returnSeconds, gone }: RunReport,
): void {
  console.log(
    `${name.padEnd(40)} ${acknowledged} acknowledged, ${lost} of them lost; ${refused} refused, ${unknown} unknown; ` +
      `longest pause ${pauseSeconds.toFixed(1)} s, ${returnSeconds.toFixed(1)} s with the database back; ${gone} of 3 readers told GONE`,
  )
}

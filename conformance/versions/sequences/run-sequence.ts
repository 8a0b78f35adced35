// Runs the steps of a sequence against a service, and compares every answer with the oracle. At the end the newest version starts, and
// everything is compared.

import assert from 'node:assert/strict'
import type { StoreName } from '../../../packages/twain/src/store/test-place.fixture.ts'
import type { OwnDatabase } from '../../harness/own-database.ts'
import { type Chain, typeOf } from './chain.ts'
import { compareFiltered, compareLog } from './compare-events.ts'
import { compareAll, compareFiles, compareRows, compareSearch } from './compare-rows.ts'
import { words } from './draw-chain.ts'
import { currentCursor, Follower } from './follower.ts'
import type { VersionNode } from './node.ts'
import { Oracle } from './oracle.ts'
import type { Drawn } from './shrink.ts'
import { type Step, stepText } from './step.ts'
import { TestedService } from './tested-service.ts'
import { deleteRow, linkRow, retakeRow, writeRow } from './write.ts'

/** Nothing was lost, changed or answered wrongly; or the error says what, after which step. */
export class SequenceFailed extends Error {}

export interface SequenceOutcome {
  /** How many steps of each kind did something. */
  done: Map<string, number>
}

export async function runSequence(
  store: StoreName,
  databases: OwnDatabase,
  { chain, steps }: Drawn,
): Promise<SequenceOutcome> {
  const service = await TestedService.open(store, databases, chain)
  const run = new SequenceRun(service, chain)
  let at = 0
  try {
    await run.perform({ do: 'start', node: 0, version: 0, isSwap: false })
  } catch (error) {
    await service.close()
    throw error // no sequence can begin
  }
  try {
    for (const [index, step] of steps.entries()) {
      at = index
      await run.perform(step)
      assert.deepEqual(service.errors, [], 'internal errors')
    }
    at = steps.length
    await run.finish()
    assert.deepEqual(service.errors, [], 'internal errors')
    return { done: run.done }
  } catch (error) {
    const step = at < steps.length ? `step ${at + 1}, ${stepText(steps[at]!)}` : 'the end'
    throw new SequenceFailed(`at ${step}: ${error instanceof Error ? error.message : String(error)}`, { cause: error })
  } finally {
    await service.close()
  }
}

/** The log is kept for a week, and the clock of a sequence must not pass it. Two more waits are at the end. */
const mostWaits = 3

class SequenceRun {
  readonly done = new Map<string, number>()
  readonly #service: TestedService
  readonly #oracle: Oracle
  readonly #followers: Follower[] = []
  /** A version that was left out is not one to roll back to. */
  readonly #served = new Set<number>()
  #waits = 0

  constructor(service: TestedService, chain: Chain) {
    this.#service = service
    this.#oracle = new Oracle(chain)
  }

  async perform(step: Step): Promise<void> {
    const isDone = await this.#perform(step)
    for (const follower of this.#followers) await follower.resume(this.#service.nodes)
    if (isDone) this.done.set(step.do, (this.done.get(step.do) ?? 0) + 1)
  }

  /** The newest version starts, and everything is there; then two days pass, and what nothing refers to is gone. */
  async finish(): Promise<void> {
    const version = this.#oracle.chain.versions - 1
    await this.perform({ do: 'start', node: 0, version, isSwap: false })
    const node = this.#service.nodes.find((one) => one.version === version)
    await compareAll(node!, this.#oracle, words)
    await compareLog(node!, this.#oracle)
    for (const other of this.#service.nodes) if (other !== node) await compareAll(other, this.#oracle, [])
    for (const follower of this.#followers) await follower.compare()
    await this.#service.checkForeignKeys()
    await this.#compareStoredFiles(node!)
  }

  /** After more than a day without a row that refers to it a file is gone, and no other is. */
  async #compareStoredFiles(node: VersionNode): Promise<void> {
    await this.#service.wait()
    await this.#service.wait()
    const held = [...this.#oracle.files.keys()].filter((id) => this.#oracle.holders(id).length > 0)
    assert.deepEqual((await this.#service.storedFiles()).toSorted(), held.toSorted(), 'the files that are stored')
    await compareFiles(node, this.#oracle)
  }

  /** False: the step means nothing now. */
  async #perform(step: Step): Promise<boolean> {
    const [service, oracle] = [this.#service, this.#oracle]
    switch (step.do) {
      case 'start':
        if (step.version < oracle.newest && !this.#served.has(step.version)) return false
        if (service.isAlone(step.version)) return false
        await service.start(step.node, step.version, step.isSwap)
        this.#served.add(step.version)
        oracle.newest = Math.max(oracle.newest, step.version)
        return true
      case 'stop':
        if (service.nodes.length < 2) return false
        await service.stop(step.node)
        return true
      case 'wait':
        if (this.#waits === mostWaits) return false
        this.#waits++
        await service.wait()
        return true
      case 'copy':
        return this.#compareCopy(await this.#copied(step.to))
      case 'backup':
        return service.store === 'sqlite' && this.#compareCopy(await service.restored())
    }
    const node = service.node(step.node)
    if (node === undefined) return false
    if (step.do === 'events') {
      await compareLog(node, oracle)
      return true
    }
    const type = typeOf(oracle.chain, step.type, node.version)
    if (type === undefined) return false
    switch (step.do) {
      case 'write':
        return writeRow(step, node, type, oracle)
      case 'link':
        return linkRow(step, node, type, oracle)
      case 'delete':
        return deleteRow(step, node, type, oracle)
      case 'retake':
        return retakeRow(step, node, type, oracle)
      case 'read':
        await compareRows(node, oracle, step.type, step.api)
        return true
      case 'search':
        await compareSearch(node, oracle, step.type, step.word, step.api)
        return true
      case 'filter':
        await compareFiltered(node, oracle, step.type, step.field, step.value)
        return true
      case 'follow':
        if (this.#followers.length === 2) return false
        await compareLog(node, oracle) // so that everything before has its place in the log
        this.#followers.push(await Follower.open(node, oracle, step.api, type, await currentCursor(node)))
        return true
    }
  }

  async #copied(to: StoreName): Promise<TestedService> {
    const running = this.#service.nodes.map(({ version }) => version)
    const copy = await this.#service.copied(to)
    if (this.#service.nodes.length === 0) await this.#service.start(0, running[0]!)
    return copy
  }

  /** The copy has everything under the newest version that was served, whichever is served now. */
  async #compareCopy(copy: TestedService): Promise<true> {
    try {
      const node = await copy.start(0, this.#oracle.newest)
      await compareAll(node, this.#oracle, words)
      await compareLog(node, this.#oracle)
      return true
    } finally {
      await copy.close()
    }
  }
}

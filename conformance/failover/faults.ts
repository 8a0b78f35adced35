// What goes wrong in each run, and how the cluster becomes whole again.

import { setTimeout as pause } from 'node:timers/promises'
import { type Cluster, patroniTtl } from './cluster.ts'
import type { Load } from './load.ts'

export interface Fault {
  name: string
  /** Whether acknowledged writes may be lost if replication is asynchronous. */
  mayLose: boolean
  /** Returns the moment since which pauses count, of `performance.now`. */
  cause(cluster: Cluster, load: Load, isSynchronous: boolean): Promise<number>
}

const killed: Fault = {
  name: 'primary killed',
  mayLose: true,
  async cause(cluster) {
    const primary = await cluster.primary()
    const since = performance.now()
    cluster.kill(primary)
    await cluster.hasOtherPrimary(primary)
    cluster.revive(primary)
    return since
  },
}

/** The frozen primary does not know that it was replaced, and goes on where it stopped. */
const frozen: Fault = {
  name: 'primary frozen, then thawed',
  mayLose: true,
  async cause(cluster) {
    const primary = await cluster.primary()
    const since = performance.now()
    cluster.freeze(primary)
    await cluster.hasOtherPrimary(primary)
    await pause(3000)
    cluster.thaw(primary)
    return since
  },
}

const switchover: Fault = {
  name: 'planned switchover',
  mayLose: false,
  async cause(cluster) {
    const primary = await cluster.primary()
    const since = performance.now()
    await cluster.switchOver()
    await cluster.hasOtherPrimary(primary)
    return since
  },
}

/** Patroni's primary steps down when it can't renew its lock. Pauses count from the return of etcd. */
const withoutEtcd: Fault = {
  name: 'etcd away',
  mayLose: false,
  async cause(cluster) {
    await cluster.stopEtcd()
    await cluster.hasNoPrimary()
    cluster.startEtcd()
    return performance.now()
  },
}

/** What the primary acknowledges meanwhile is lost with it, if replication is asynchronous. A synchronous cluster does not fail
 *  over: no standby has everything, so it waits for the primary. */
const cutOff: Fault = {
  name: 'standbys cut off, then primary killed',
  mayLose: true,
  async cause(cluster, load, isSynchronous) {
    const primary = await cluster.primary()
    await cluster.cutStandbys()
    await load.acknowledges(20)
    let since = performance.now()
    cluster.kill(primary)
    if (isSynchronous) {
      await pause(patroniTtl * 1000 + 5000)
      since = performance.now() // from here on there is a server that may serve
      cluster.revive(primary)
      await load.acknowledges(1)
      await cluster.joinStandbys(primary)
      return since
    }
    await cluster.hasOtherPrimary(primary)
    await cluster.joinStandbys(primary)
    cluster.revive(primary)
    return since
  },
}

const proxyRestart: Fault = {
  name: 'HAProxy restarted',
  mayLose: false,
  async cause(cluster) {
    const since = performance.now()
    await cluster.restartProxy()
    return since
  },
}

export const allFaults: readonly Fault[] = [switchover, killed, frozen, withoutEtcd, proxyRestart, cutOff]

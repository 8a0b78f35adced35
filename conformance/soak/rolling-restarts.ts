// `npm run soak -- rolling-restarts=nginx,SIGTERM,15`: so many nodes end one after the other behind a proxy (nginx, haproxy or caddy;
// SIGTERM or SIGKILL), under the load of twelve clients and nine readers. faults/proxies has a tenth of it.
// stores: postgres

import { assertReadOnce, assertWrittenOnce, changes } from '../faults/proxies/exactly-once.ts'
import { byPolling, bySocket, byStream, Reader } from '../faults/proxies/feed-readers.ts'
import { Load } from '../faults/proxies/load-through-proxy.ts'
import { NodesBehindProxy } from '../faults/proxies/nodes-behind-proxy.ts'
import type { Kind } from '../faults/proxies/proxy-process.ts'

const [kind = 'nginx', signal = 'SIGTERM', rounds = '15'] = process.argv.slice(2)

const ends: (() => unknown)[] = []
try {
  await roll(await NodesBehindProxy.open({ after: (end) => ends.unshift(end) }, [kind as Kind]))
} finally {
  for (const end of ends) await end()
}

async function roll(behind: NodesBehindProxy): Promise<void> {
  const clients = Array.from({ length: 12 }, (_, number) => behind.client(kind as Kind, 30 + number))
  const [first, , , , second, , , , third] = clients
  const start: string = (await changes(first!, 'now')).pageInfo.endCursor
  const readers = [first!, second!, third!].flatMap((client) =>
    [bySocket, byStream, byPolling].map((read) => new Reader(read, client, start)),
  )
  ends.unshift(() => Promise.all(readers.map((reader) => reader.stop())))
  const load = new Load(clients)
  ends.unshift(() => load.stop())
  for (let round = 0; round < Number(rounds); round++) {
    const node = behind.nodes[round % behind.nodes.length]!
    await load.answers(150)
    await (signal === 'SIGKILL' ? node.kill() : node.stop())
    await load.answers(150)
    await node.startAgain(100)
    console.log(`${round + 1} ended; ${load.answered} requests, ${load.failed.length} failed`)
  }
  await load.stop()
  const outcomes = Map.groupBy(load.failed, (failure) => `${failure.kind} ${failure.outcome}`)
  console.log(
    `${kind}, ${signal}: ${load.answered} requests, failed:`,
    [...outcomes].map(([outcome, all]) => [outcome, all.length]),
  )
  await assertWrittenOnce(load, first!)
  await assertReadOnce(readers, start, first!)
  console.log('Every write was made once, and every reader has what the log has, in order, once.')
}

// `npm run bench -- in-turn`: one kind of request on several servers, which run in turn: checkouts of Twain, and servers by hand. Two
// servers of the same code differ by some percent, as the compiler of V8 and the memory happen to lay them out. So name each of them twice.

import { mkdir } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { MeasuredProcess } from '../measured-process.ts'
import { analyse } from '../postgres.ts'
import { usageOfTree } from '../process-times.ts'
import { layTable } from '../table.ts'
import { sourceCommand } from '../twain-process.ts'
import { type Figures, measure, middle, startDatabases, warmUp } from './compare.ts'
import { chooseComparisons } from './requests.ts'
import { type Name, names, startByHand, startTwainTarget, type Target } from './targets.ts'

const rounds = 10

/** `servers`: `here`, the folder of another checkout with its packages installed, or a server by hand. Returns a table. */
export async function measureInTurn(
  folder: string,
  onPostgres: boolean,
  only: string,
  servers: readonly string[],
): Promise<string> {
  const [comparison, ...others] = chooseComparisons(only).filter(({ kind }) => kind !== 'repeated')
  if (comparison === undefined || others.length > 0)
    throw new Error('--only must choose one kind of request: --only "REST create".')
  const keys = servers.map((_, index) => `server_${index}`)
  const databases = onPostgres ? await startDatabases(keys) : null
  const load = new MeasuredProcess(join(import.meta.dirname, '../load.ts'), [])
  const targets: Target[] = []
  try {
    for (const [index, server] of servers.entries()) {
      const place = join(folder, String(index))
      await mkdir(place)
      targets.push(await startOne(server, place, databases?.addresses[keys[index]!] ?? null))
    }
    if (databases !== null) await analyse(Object.values(databases.addresses))
    const postmaster = databases?.postmaster ?? null
    const requests = targets.map(({ cursors }) => comparison.requests(cursors))
    const round = (index: number) => measure(targets[index]!, requests[index]!, load, postmaster)
    const figures: Figures[][] = targets.map(() => [])
    await warmUp([...targets.keys()], round)
    for (let done = 0; done < rounds; done++) for (const [index, own] of figures.entries()) own.push(await round(index))
    const rows = targets.map(({ process }, index) => {
      const { perSecond, p99, server, database } = middle(figures[index]!)
      const memory = usageOfTree(process.pid).memory / 1e6
      return [servers[index]!, ...[perSecond, p99, server, database, memory].map((figure) => figure.toFixed(0))]
    })
    return layTable([comparison.name, 'a second', 'p99 ms', 'server µs', 'database µs', 'MB'], rows)
  } finally {
    await load.stop()
    for (const { process } of targets) await process.stop()
    await databases?.stop()
  }
}

function startOne(server: string, folder: string, database: string | null): Promise<Target> {
  if (server === 'here') return startTwainTarget(folder, database, sourceCommand)
  if (names.includes(server as Name) && server !== 'twain') return startByHand(server as Name, folder, database)
  const checkout = resolve(process.env.INIT_CWD ?? '.', server)
  return startTwainTarget(folder, database, join(checkout, 'packages/twain/bin/twain.js'))
}

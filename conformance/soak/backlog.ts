// `npm run soak -- backlog=1000000`: how fast the sequencer catches up with so many changes that wait for their positions, 1,000,000
// unless you name another number. It judges the CPU time of the server process that assigns them: other work on the machine does not count.
// stores: postgres

import { readFileSync } from 'node:fs'
import { openTestLog } from '../../packages/twain/src/store/postgres/changes/change-log.fixture.ts'
import { silent } from '../../packages/twain/src/store/store.fixture.ts'

const entries = Number(process.argv[2] ?? 1_000_000)
const minPerSecond = 15_000

const log = await openTestLog(silent)
try {
  const { raw } = log.database
  const portion = 10_000
  const image = JSON.stringify({ title: 'x'.repeat(200) })
  for (let from = 1; from <= entries; from += portion) {
    const to = Math.min(entries, from + portion - 1)
    await raw.query(
      `INSERT INTO twain_change (resource, id, kind, version, time, after)
       SELECT 'Row', n::text, 'updated', 1, '2026-01-01T00:00:00.000Z', '${image}' FROM generate_series(${from}, ${to}) AS n`,
    )
  }
  const began = performance.now()
  const { changes } = await log.open()
  let assigned = 0
  while (assigned < entries) {
    await new Promise((resolve) => setTimeout(resolve, 100))
    const [[last]] = (await raw.values('SELECT last FROM twain_log')) as [[string]]
    const before = assigned
    assigned = Number(last)
    if (Math.floor(assigned / 100_000) > Math.floor(before / 100_000)) {
      const seconds = (performance.now() - began) / 1000
      process.stdout.write(`\r${assigned} in ${seconds.toFixed(1)} s, ${Math.round(assigned / seconds)} a second `)
    }
  }
  const seconds = (performance.now() - began) / 1000
  const perSecond = Math.round(entries / seconds)
  console.log(`\r${entries} waiting changes had their positions in ${seconds.toFixed(1)} s: ${perSecond} a second.`)
  if ((await changes.bounds()).end.position !== entries) throw new Error('The log does not end where it should.')
  const [[pid]] = (await raw.values(
    `SELECT pid FROM pg_stat_activity WHERE query LIKE '%WITH late AS%' AND pid <> pg_backend_pid() LIMIT 1`,
  )) as [[number]]
  const cpu = cpuSeconds(pid)
  const perCpuSecond = Math.round(entries / cpu)
  console.log(
    `The server took ${((cpu / entries) * 1e6).toFixed(1)} µs of CPU time for each: ${perCpuSecond} in a second of it.`,
  )
  if (perCpuSecond < minPerSecond) throw new Error(`It should be ${minPerSecond} a second at least.`)
} finally {
  await log.close()
}

/** User and system time of a process on Linux, in ticks of 10 ms. */
function cpuSeconds(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
    .replace(/^.*\) /, '')
    .split(' ')
  return (Number(fields[11]) + Number(fields[12])) / 100
}

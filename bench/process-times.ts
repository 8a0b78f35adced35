// CPU time and memory of a process with its children, from /proc (Linux).

import { readdirSync, readFileSync } from 'node:fs'

/** The kernel counts in hundredths of a second. */
const microsecondsPerTick = 10_000
const bytesPerPage = 4096

interface Stat {
  pid: number
  parent: number
  /** Its own ticks, and those of children that have ended. */
  ticks: number
  pages: number
}

export interface TreeUsage {
  /** µs of CPU time since they began. */
  cpu: number
  /** Resident bytes. */
  memory: number
}

export function usageOfTree(root: number): TreeUsage {
  const stats = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => statOf(Number(name)) ?? [])
  const byParent = Map.groupBy(stats, ({ parent }) => parent)
  const tree = stats.filter(({ pid }) => pid === root)
  for (const { pid } of tree) tree.push(...(byParent.get(pid) ?? []))
  return {
    cpu: tree.reduce((sum, { ticks }) => sum + ticks, 0) * microsecondsPerTick,
    memory: tree.reduce((sum, { pages }) => sum + pages, 0) * bytesPerPage,
  }
}

export function parentOf(pid: number): number {
  return statOf(pid)!.parent
}

/** Null if it has ended. */
function statOf(pid: number): Stat | null {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'latin1')
    const fields = text
      .slice(text.lastIndexOf(')') + 2)
      .split(' ')
      .map(Number)
    const [utime, stime, cutime, cstime] = fields.slice(11, 15) as [number, number, number, number]
    return { pid, parent: fields[1]!, ticks: utime + stime + cutime + cstime, pages: fields[21]! }
  } catch {
    return null
  }
}

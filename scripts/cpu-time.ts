// The CPU time of this process with all its threads, and of the processes that it started and that have ended. Other load on the
// machine hardly changes it, so figures of two runs compare.

import { readFileSync } from 'node:fs'

export interface CpuTime {
  ownSeconds: number
  /** 0 where the system has no /proc. */
  childSeconds: number
}

/** Linux counts the time of processes in hundredths of a second. */
const ticksPerSecond = 100

export function readCpuTime(): CpuTime {
  const { user, system } = process.cpuUsage()
  return { ownSeconds: (user + system) / 1e6, childSeconds: readChildSeconds() }
}

export function cpuTimeSince(began: CpuTime): CpuTime {
  const now = readCpuTime()
  return { ownSeconds: now.ownSeconds - began.ownSeconds, childSeconds: now.childSeconds - began.childSeconds }
}

/** `cutime` and `cstime` of proc_pid_stat(5). */
function readChildSeconds(): number {
  try {
    const stat = readFileSync('/proc/self/stat', 'utf8')
    // The name of the program may hold spaces; the fields after it do not.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    return (Number(fields[13]) + Number(fields[14])) / ticksPerSecond
  } catch {
    return 0
  }
}

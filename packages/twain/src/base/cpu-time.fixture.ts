// CPU time of this thread, for tests about cost: other load on the machine does not count.

/** Starts measuring; the returned function returns the CPU milliseconds since. */
export function startCpuTimer(): () => number {
  const before = process.threadCpuUsage()
  return () => {
    const { user, system } = process.threadCpuUsage(before)
    return (user + system) / 1000
  }
}

/** The result of the work, and the maximum time that it blocked this thread. */
export async function measureBlocking<Result>(work: () => Promise<Result>): Promise<{ result: Result; gap: number }> {
  let gap = 0
  let sinceLast = startCpuTimer()
  const tick = () => {
    gap = Math.max(gap, sinceLast())
    sinceLast = startCpuTimer()
  }
  const timer = setInterval(tick, 1)
  try {
    const result = await work()
    tick()
    return { result, gap }
  } finally {
    clearInterval(timer)
  }
}

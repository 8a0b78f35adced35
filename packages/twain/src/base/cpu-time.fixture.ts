// What this thread itself has worked, for tests that say that something costs little or holds nobody up: whatever else the
// machine does at the time takes no part of it.

/** Begins to count; gives the milliseconds since. */
export function worked(): () => number {
  const before = process.threadCpuUsage()
  return () => {
    const { user, system } = process.threadCpuUsage(before)
    return (user + system) / 1000
  }
}

/** What the work gives, and the longest this thread worked at one go, so that nothing else could run. */
export async function gapOf<Result>(work: () => Promise<Result>): Promise<{ result: Result; gap: number }> {
  let gap = 0
  let sinceLast = worked()
  const tick = () => {
    gap = Math.max(gap, sinceLast())
    sinceLast = worked()
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

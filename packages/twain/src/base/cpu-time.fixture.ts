// CPU time of this thread, for tests about cost: other load on the machine does not count. Milliseconds are those of the machine that
// the limits were measured on: on a slower one, or one whose cores share their caches with other work, the same code takes longer.

/** Starts measuring; the returned function returns the CPU milliseconds since. */
export function startCpuTimer(): () => number {
  const elapsed = startThreadTimer()
  return () => elapsed() / slowness()
}

/** The result of the work, and the maximum time that it blocked this thread. */
export async function measureBlocking<Result>(work: () => Promise<Result>): Promise<{ result: Result; gap: number }> {
  let gap = 0
  let sinceLast = startThreadTimer()
  const tick = () => {
    gap = Math.max(gap, sinceLast())
    sinceLast = startThreadTimer()
  }
  const timer = setInterval(tick, 1)
  try {
    const result = await work()
    tick()
    return { result, gap: gap / slowness() }
  } finally {
    clearInterval(timer)
  }
}

function startThreadTimer(): () => number {
  const before = process.threadCpuUsage()
  return () => {
    const { user, system } = process.threadCpuUsage(before)
    return (user + system) / 1000
  }
}

/** What `referenceWork` takes on the idle reference machine. */
const referenceMs = 1.3

const referenceText = JSON.stringify(
  Array.from({ length: 8000 }, (_, index) => ({ name: `name ${index}`, size: index })),
)

function referenceWork(): void {
  const rows = JSON.parse(referenceText) as { name: string; size: number }[]
  if (rows.map(({ name, size }) => name.length + size).length !== 8000) throw new Error('the reference work is wrong')
}

/** How many times longer this thread takes now than the reference machine; at least 1. */
function slowness(): number {
  const times = Array.from({ length: 5 }, () => {
    const elapsed = startThreadTimer()
    referenceWork()
    return elapsed()
  })
  return Math.max(1, Math.min(...times) / referenceMs)
}

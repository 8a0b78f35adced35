// Deletes the oldest changes of the log.

interface PrunableLog {
  /** Position and time of the oldest changes. */
  oldest(limit: number): Promise<[number, string][]>
  drop(upTo: number): Promise<unknown>
}

/** Small steps, so that no write waits long for one. */
const changesPerStep = 1000

/** Deletes up to the first change that is not older than this time: clocks of nodes differ, and the log must have no gaps. */
export async function pruneChanges({ oldest, drop }: PrunableLog, before: string): Promise<number> {
  for (let pruned = 0; ; ) {
    const some = await oldest(changesPerStep)
    const firstRecent = some.findIndex(([, time]) => time >= before)
    const old = firstRecent === -1 ? some : some.slice(0, firstRecent)
    if (old.length > 0) await drop(old.at(-1)![0])
    pruned += old.length
    if (old.length < changesPerStep) return pruned
  }
}

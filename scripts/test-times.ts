// The table of `npm test -- --times`: CPU seconds of each test file, the largest first.

import type { CpuTime } from './cpu-time.ts'

export interface NamedTime {
  name: string
  time: CpuTime
}

/** What takes less is one row for all. */
const shownSeconds = 1

export function printTimes(times: NamedTime[]): void {
  console.log('\nCPU seconds: in all, of which in processes that the tests started')
  for (const row of timeRows(times)) console.log(row)
}

export function timeRows(times: NamedTime[]): string[] {
  const sorted = times.toSorted((one, other) => totalSeconds(other.time) - totalSeconds(one.time))
  const shown = sorted.filter(({ time }) => totalSeconds(time) >= shownSeconds)
  const others = sorted.slice(shown.length)
  const row = (name: string, summed: NamedTime[]) => {
    const total = summed.reduce((sum, { time }) => sum + totalSeconds(time), 0)
    const started = summed.reduce((sum, { time }) => sum + time.childSeconds, 0)
    return `${total.toFixed(1).padStart(8)} ${started.toFixed(1).padStart(8)}  ${name}`
  }
  return [
    ...shown.map((time) => row(time.name, [time])),
    row(`${others.length} others, under ${shownSeconds} s each`, others),
    row('all', times),
  ]
}

function totalSeconds({ ownSeconds, childSeconds }: CpuTime): number {
  return ownSeconds + childSeconds
}

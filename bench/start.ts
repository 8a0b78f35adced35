// `npm run bench -- start`: the memory of an idle server, and the time to its first response, of the package as it is published.

import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { buildForTests } from '../scripts/build/build-for-tests.ts'
import { users } from './data.ts'
import { importRows } from './import-rows.ts'
import { median } from './reads.ts'
import type { ReportRow } from './table.ts'
import { schemaFile, startTwain } from './twain-process.ts'

export interface StartOutcome {
  /** Resident MB of the idle server. */
  idle: number
  /** Milliseconds from the start of the process to its first response with rows. */
  firstAnswer: number
  /** Milliseconds of CPU time until then and in the pause after it. */
  cpu: number
}

const starts = 3
const idleMs = 2000
const maxIdle = 90
const maxFirstAnswer = 500

/** The command of the package as it is published. */
export async function buildCommand(): Promise<string> {
  return join(await buildForTests(), 'twain/bin/twain.js')
}

export async function measureStart(folder: string, command: string): Promise<StartOutcome> {
  const data = join(folder, 'start')
  await importRows(data, schemaFile, null, { User: users.slice(0, 20) }, command)
  const idle: number[] = []
  const firstAnswer: number[] = []
  const cpu: number[] = []
  for (let start = 0; start < starts; start++) {
    const twain = await startTwain(data, schemaFile, [], { command })
    firstAnswer.push(twain.firstAnswer)
    await pause(idleMs)
    const reading = await twain.process.read()
    idle.push(reading.memory / 1e6)
    cpu.push(reading.cpu / 1000)
    await twain.process.stop()
  }
  return { idle: median(idle), firstAnswer: median(firstAnswer), cpu: median(cpu) }
}

export function startRows({ idle, firstAnswer, cpu }: StartOutcome): ReportRow[] {
  const row = (what: string, value: number, unit: string, max: number): ReportRow => ({
    what,
    twain: `${value.toFixed(0)} ${unit}`,
    comparedWith: '',
    figure: '',
    target: `≤ ${max} ${unit}`,
    met: value <= max,
  })
  return [
    row('Idle memory of the published package', idle, 'MB', maxIdle),
    row('First response after its start', firstAnswer, 'ms', maxFirstAnswer),
    {
      what: 'CPU time of the start',
      twain: `${cpu.toFixed(0)} ms`,
      comparedWith: '',
      figure: '',
      target: '',
      met: null,
    },
  ]
}

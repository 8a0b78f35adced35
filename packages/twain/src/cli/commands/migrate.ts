// `twain migrate`: changes the database as a start would, tables and rows, or prints what it would do (--dry-run).

import type { Log } from '#base'
import { monotonicTime } from '#base/time'
import { type DataPlan, migrateData, planData, readCodedSchema } from '#main'
import { progressBar, stepBar } from '../report/progress-bar.ts'
import type { Terminal } from '../report/terminal.ts'
import type { CommandLine } from '../settings/command-line.ts'

type MigrateCommandLine = Pick<CommandLine & { kind: 'run' }, 'file' | 'options' | 'settings'>

/** Returns the exit code. */
export async function migrate(
  { file, options, settings }: MigrateCommandLine,
  surface: Terminal,
  log: Log,
): Promise<number> {
  const schema = await readCodedSchema(file)
  const { data, database } = settings
  const allowBreaking = options.has('allow-breaking')
  const place = { data, database, allowBreaking, drop: options.has('drop'), log }
  const plan = await planData(schema, place)
  const { steps, left } = plan
  if (options.has('dry-run')) {
    const isNothing = steps.length + left.length === 0
    surface.out(isNothing ? '-- Nothing to do.\n' : [...steps, ...describeLeft(schema, plan)].map(printStep).join(''))
    return 0
  }
  const name = database === null ? data : 'The database'
  if (steps.length + left.length === 0 && !plan.checksRows) {
    surface.err(`${name} already fits ${file}.\n`)
    return 0
  }
  const began = monotonicTime()
  const bar = stepBar(surface, steps)
  const rowBar = progressBar(surface)
  const visited = new Map<string, number>()
  await migrateData(schema, { ...place, onStep: bar.show }, plan, {
    ...settings,
    log,
    allowBreaking,
    stop: surface.stop,
    onMigration: ({ migration, visited: rows, isDone }) => {
      const { visited: before = 0, rows: after } = left.find((one) => one.name === migration.name) ?? {}
      visited.set(migration.name, rows - before)
      const all = Math.max(rows, before + (after ?? 0))
      if (!isDone) rowBar.show({ rows, bytes: 0 }, { rows: all, bytes: 0 }, migration.file)
    },
  }).finally(bar.clear)
  const seconds = ((monotonicTime() - began) / 1000).toFixed(1)
  const rows = [...visited.values()].reduce((sum, one) => sum + one, 0)
  const made =
    left.length === 0
      ? ''
      : ` and ${left.length} data ${counted(left.length, 'migration')} (${counted(rows, 'row', true)})`
  surface.err(`${name} now fits ${file}: ${counted(steps.length, 'step', true)}${made} in ${seconds} s.\n`)
  return 0
}

/** What the data migrations would do, as comments. */
function describeLeft({ migrations }: Awaited<ReturnType<typeof readCodedSchema>>, { left }: DataPlan): string[] {
  return left.map(({ name, rows, visited }) => {
    const { file, work } = migrations.find((one) => one.name === name)!
    const isContinued = visited > 0 ? `, after ${visited.toLocaleString('en-US')} that it has visited` : ''
    if (work.kind === 'whole') return `-- ${file}: one transaction`
    const amount = rows === null ? 'rows' : counted(rows, 'row', true)
    return `-- ${file}: ${amount} of ${work.type.name}${isContinued}`
  })
}

function counted(count: number, noun: string, withNumber = false): string {
  const word = count === 1 ? noun : `${noun}s`
  return withNumber ? `${count.toLocaleString('en-US')} ${word}` : word
}

function printStep(step: string): string {
  return step.startsWith('--') ? `${step}\n` : `${step};\n`
}

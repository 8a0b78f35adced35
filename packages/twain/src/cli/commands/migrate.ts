// `twain migrate`: changes the database as a start would, or prints the SQL (--dry-run).

import type { Log } from '#base'
import { readCodedSchema } from '#main'
import { type MigrateOptions, migrateStore, planMigration } from '#store'
import { stepBar } from '../report/progress-bar.ts'
import type { Terminal } from '../report/terminal.ts'
import type { CommandLine } from '../settings/command-line.ts'

type MigrateCommandLine = Pick<CommandLine & { kind: 'run' }, 'file' | 'options' | 'settings'>

/** Returns the exit code. */
export async function migrate(
  { file, options, settings }: MigrateCommandLine,
  surface: Terminal,
  log: Log,
): Promise<number> {
  const { model, sdl } = await readCodedSchema(file)
  const migration: MigrateOptions = {
    data: settings.data,
    database: settings.database,
    model,
    sdl,
    allowBreaking: options.has('allow-breaking'),
    drop: options.has('drop'),
    log,
  }
  const planned = await planMigration(migration)
  if (options.has('dry-run')) {
    surface.out(planned.length === 0 ? '-- Nothing to do.\n' : planned.map(printStep).join(''))
    return 0
  }
  const place = settings.database === null ? settings.data : 'The database'
  if (planned.length === 0) {
    surface.err(`${place} already fits ${file}.\n`)
    return 0
  }
  const began = performance.now()
  const bar = stepBar(surface, planned)
  await migrateStore({ ...migration, onStep: bar.show }).finally(bar.clear)
  const seconds = ((performance.now() - began) / 1000).toFixed(1)
  surface.err(`${place} now fits ${file}: ${planned.length} steps in ${seconds} s.\n`)
  return 0
}

function printStep(step: string): string {
  return step.startsWith('--') ? `${step}\n` : `${step};\n`
}

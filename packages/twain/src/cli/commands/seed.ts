// `twain seed`: fills an empty service, and ends.

import { openService } from '#main'
import type { Logs } from '../report/logs.ts'
import type { Terminal } from '../report/terminal.ts'
import { seed } from '../run-seed.ts'
import type { CommandLine } from '../settings/command-line.ts'

type SeedCommandLine = Pick<CommandLine & { kind: 'run' }, 'file' | 'settings'>

/** Runs the seed without serving: on SQLite no server may run on the data, on PostgreSQL other nodes may. Returns the exit
 *  code. Throws SeedFailed, and every error of opening the service. */
export async function seedCommand(
  { file, settings }: SeedCommandLine,
  surface: Terminal,
  { log }: Logs,
): Promise<number> {
  if (settings.seed === null) {
    surface.err('error --seed FILE is missing: a module that exports a function seed.\n\nSee twain seed --help.\n')
    return 2
  }
  const queue = { ...settings.queue, concurrency: 0 } // the server runs the jobs that the seed enqueues
  const service = await openService({ ...settings, queue, schemaFile: file, stop: surface.stop, log })
  try {
    surface.out(`${await seed(settings.seed, service)}\n`)
    return 0
  } finally {
    await service.close()
  }
}

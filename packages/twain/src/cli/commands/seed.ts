// `twain seed`: fills an empty place from a module, without serving. On SQLite no server may be running on the data; on
// PostgreSQL others may.

import { openService } from '#main'
import type { Logs } from '../report/logs.ts'
import type { Terminal } from '../report/terminal.ts'
import { seed } from '../serve/seed-data.ts'
import type { CommandLine } from '../settings/command-line.ts'

type SeedCommandLine = Pick<CommandLine & { kind: 'run' }, 'file' | 'settings'>

/** Gives the exit code; throws what keeps it from being filled. */
export async function seedCommand({ file, settings }: SeedCommandLine, surface: Terminal, { log }: Logs): Promise<number> {
  if (settings.seed === null) {
    surface.err('error --seed FILE says what to fill it from: a module that exports seed.\n\nSee twain seed --help.\n')
    return 2
  }
  const service = await openService({ ...settings, schemaFile: file, stop: surface.stop, log })
  try {
    surface.out(`${await seed(settings.seed, service)}\n`)
    return 0
  } finally {
    await service.close()
  }
}

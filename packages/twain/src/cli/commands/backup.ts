// `twain backup` and `twain restore`.

import { backUp, restore as restoreFolder } from '#main'
import type { Terminal } from '../report/terminal.ts'
import type { CommandLine } from '../settings/command-line.ts'

type BackupCommandLine = Pick<CommandLine & { kind: 'run' }, 'file' | 'options' | 'settings'>

/** Returns the exit code. */
export async function backup({ options, settings: { data } }: BackupCommandLine, surface: Terminal): Promise<number> {
  const to = options.get('to')
  if (to === undefined) {
    surface.err('error --to FILE is missing: twain backup --data ./data --to backup.db\n\nSee twain backup --help.\n')
    return 2
  }
  const { files, elsewhere } = await backUp(data, to)
  const bytes = elsewhere === 0 ? '' : ` It does not contain ${elsewhere} files, which are stored outside the folder.`
  surface.err(`Wrote a backup of ${data} to ${to}, with ${files} files.${bytes}\n`)
  return 0
}

/** Returns the exit code. */
export async function restore({ file, settings: { data } }: BackupCommandLine, surface: Terminal): Promise<number> {
  await restoreFolder(file, data)
  surface.err(`Restored ${file} to ${data}. Readers of the change log start over.\n`)
  return 0
}

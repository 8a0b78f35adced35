// `twain backup` and `twain restore`.

import { backUp, restore as restoreFolder } from '#main'
import type { Terminal } from '../report/terminal.ts'
import type { CommandLine } from '../settings/command-line.ts'

type BackupCommandLine = Pick<CommandLine & { kind: 'run' }, 'file' | 'options' | 'settings'>

/** Gives the exit code. */
export async function backup({ options, settings: { data } }: BackupCommandLine, surface: Terminal): Promise<number> {
  const to = options.get('to')
  if (to === undefined) {
    surface.err('error Say where: twain backup --data ./data --to backup.db\n\nSee twain backup --help.\n')
    return 2
  }
  const { files, elsewhere } = await backUp(data, to)
  const bytes = elsewhere === 0 ? '' : ` The bytes of ${elsewhere} files are kept elsewhere, and not in it.`
  surface.err(`${data} is in ${to}, with the bytes of ${files} files.${bytes}\n`)
  return 0
}

/** Gives the exit code. */
export async function restore({ file, settings: { data } }: BackupCommandLine, surface: Terminal): Promise<number> {
  await restoreFolder(file, data)
  surface.err(`${file} is restored to ${data}. Readers of the change log begin anew there.\n`)
  return 0
}

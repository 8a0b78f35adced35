// `twain backup`, `twain restore` and `twain copy`: a copy of the data, in a file or in another database.

import { monotonicTime } from '#base/time'
import { backUp, type CopyLocation, type CopyPurpose, copyService, restore as restoreFolder } from '#store'
import { megabytes, progressBar } from '../report/progress-bar.ts'
import type { Terminal } from '../report/terminal.ts'
import type { CommandLine } from '../settings/command-line.ts'
import { looksLikeAddress } from '../settings/database-addresses.ts'

type BackupCommandLine = Pick<CommandLine & { kind: 'run' }, 'file' | 'options' | 'settings'>

/** Returns the exit code. */
export async function backup({ options, settings: { data } }: BackupCommandLine, surface: Terminal): Promise<number> {
  const to = options.get('to')
  if (to === undefined) {
    surface.err('error --to FILE is missing: twain backup --data ./data --to backup.db\n\nSee twain backup --help.\n')
    return 2
  }
  const { files, elsewhere } = backUp(data, to)
  const bytes = elsewhere === 0 ? '' : ` It does not contain ${elsewhere} files, which are stored outside the folder.`
  surface.err(`Wrote a backup of ${data} to ${to}, with ${files} files.${bytes}\n`)
  return 0
}

/** Returns the exit code. */
export async function restore({ file, settings: { data } }: BackupCommandLine, surface: Terminal): Promise<number> {
  await restoreFolder(file, data)
  surface.err(`Restored ${file} to ${data}. Readers of later changes start over.\n`)
  return 0
}

type CopyCommandLine = Pick<CommandLine & { kind: 'run' }, 'options'>

/** Copies a service to another folder or database and shows a progress bar on a terminal. Returns the exit code. */
export async function copy({ options }: CopyCommandLine, surface: Terminal): Promise<number> {
  const [from, to] = [options.get('from'), options.get('to')]
  if (!from || !to) {
    surface.err('error --from and --to are required: each is a data folder or postgres://…\n\nSee twain copy --help.\n')
    return 2
  }
  const locations = [parseLocation(from), parseLocation(to)]
  if (locations[0] === null || locations[1] === null) {
    // The message does not repeat the value, which may contain a password.
    const wrong = locations[0] === null ? '--from' : '--to'
    surface.err(
      `error ${wrong} must be a data folder (./data, sqlite:./data) or postgres://USER:PASSWORD@HOST/NAME\n\nSee twain copy --help.\n`,
    )
    return 2
  }
  const purpose = purposeOf(options)
  if (purpose === null) {
    surface.err(choosePurpose)
    return 2
  }
  // Rows become garbage as soon as they are sent. With its default flags V8 grows the heap to 200 MB instead of 130 MB and
  // saves no time.
  const { setFlagsFromString } = process.getBuiltinModule('node:v8')
  for (const flag of ['--semi-space-growth-factor=1', '--heap-growing-percent=20']) setFlagsFromString(flag)
  const began = monotonicTime()
  const bar = progressBar(surface)
  const copied = await copyService(locations[0]!, locations[1]!, purpose, bar.show, surface.stop).finally(bar.clear)
  const seconds = ((monotonicTime() - began) / 1000).toFixed(1)
  surface.err(
    `Copied ${copied.rows} rows of ${copied.tables} tables${filesOf(copied.files)} from ${copied.from} to ${copied.to} in ${seconds} s; counts and checksums match.\n`,
  )
  if (copied.leftBehind.length > 0) {
    surface.err(`Not copied, because Twain did not create it: ${copied.leftBehind.join(', ')}.\n`)
  }
  const { elsewhere } = copied.files
  if (elsewhere > 0) {
    surface.err(`${elsewhere} files stay in S3-compatible storage. ${filesHint[purpose]}\n`)
  }
  return 0
}

const filesHint: Record<CopyPurpose, string> = {
  move: 'Start the copy with the same files settings.',
  staging: 'The copy deletes files that its rows no longer use: give it a copy of the bucket.',
}

const choosePurpose = `error twain copy needs to know what the copy is for: --move or --staging

  --move     The copy takes the place of the original: everything as it is. Tokens, API keys and cursors of clients stay
             valid, and webhooks go on where the original stopped. Stop the original first, and for good.
  --staging  The copy stands beside the original, for tests. It gets new signing keys and a new change log. Sessions and API
             keys stay behind, webhooks are off, and nothing that waits to be sent is copied.

See twain copy --help.
`

/** Null unless there is exactly one of both flags. */
function purposeOf(options: CopyCommandLine['options']): CopyPurpose | null {
  const given = (['move', 'staging'] as const).filter((name) => options.has(name))
  return given.length === 1 ? given[0]! : null
}

function filesOf({ count, bytes }: { count: number; bytes: number }): string {
  return count === 0 ? '' : ` and ${count} files (${megabytes(bytes)} MB)`
}

/** Null for any other kind of address and for an invalid one. */
function parseLocation(text: string): CopyLocation | null {
  if (/^postgres(ql)?:\/\/.+/.test(text)) return URL.canParse(text) ? { kind: 'database', address: text } : null
  const path = text.replace(/^sqlite:(\/\/)?/, '')
  return path === '' || looksLikeAddress(path) ? null : { kind: 'folder', folder: path }
}

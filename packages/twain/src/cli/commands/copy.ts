// `twain copy`: a whole service to another place, with a bar for who looks.

import { type CopyLocation, copyService } from '#store'
import { megabytes, progressBar } from '../report/progress-bar.ts'
import type { Terminal } from '../report/terminal.ts'
import type { CommandLine } from '../settings/command-line.ts'
import { looksLikeAddress } from '../settings/looks-like-address.ts'

type CopyCommandLine = Pick<CommandLine & { kind: 'run' }, 'options'>

/** Gives the exit code. */
export async function copy({ options }: CopyCommandLine, surface: Terminal): Promise<number> {
  const [from, to] = [options.get('from'), options.get('to')]
  if (!from || !to) {
    surface.err('error Say --from and --to: a data folder each, or postgres://…\n\nSee twain copy --help.\n')
    return 2
  }
  const places = [placeIn(from), placeIn(to)]
  if (places[0] === null || places[1] === null) {
    // Without what it got, which may hold a password.
    const wrong = places[0] === null ? '--from' : '--to'
    surface.err(
      `error ${wrong} wants a data folder (./data, sqlite:./data) or postgres://USER:PASSWORD@HOST/NAME\n\nSee twain copy --help.\n`,
    )
    return 2
  }
  // Rows are garbage as soon as they are sent, and V8 would take more and more room for it, the more the busier the machine is:
  // 200 MB instead of 130, for no time saved.
  const { setFlagsFromString } = process.getBuiltinModule('node:v8')
  for (const flag of ['--semi-space-growth-factor=1', '--heap-growing-percent=20']) setFlagsFromString(flag)
  const began = performance.now()
  const bar = progressBar(surface)
  const copied = await copyService(places[0]!, places[1]!, bar.show, surface.stop).finally(bar.clear)
  const seconds = ((performance.now() - began) / 1000).toFixed(1)
  surface.err(
    `Copied ${copied.rows} rows of ${copied.tables} tables${filesOf(copied.files)} from ${copied.from} to ${copied.to} in ${seconds} s; the counts are the same.\n`,
  )
  const { elsewhere } = copied.files
  if (elsewhere > 0) {
    surface.err(`${elsewhere} files are in S3-compatible storage and stay there: start with the same files settings.\n`)
  }
  return 0
}

function filesOf({ count, bytes }: { count: number; bytes: number }): string {
  return count === 0 ? '' : ` and ${count} files (${megabytes(bytes)} MB)`
}

/** Null for what is neither: an address of another kind, or one that can't be read. */
function placeIn(text: string): CopyLocation | null {
  if (/^postgres(ql)?:\/\/.+/.test(text)) return URL.canParse(text) ? { kind: 'database', address: text } : null
  const path = text.replace(/^sqlite:(\/\/)?/, '')
  return path === '' || looksLikeAddress(path) ? null : { kind: 'folder', folder: path }
}

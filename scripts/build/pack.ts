// `npm pack` of a built package.

import { execFileSync } from 'node:child_process'
import { join } from 'node:path'

/** Returns the path of the tarball. */
export function packFolder(source: string, to: string): string {
  const output = execFileSync('npm', ['pack', '--json', '--pack-destination', to], { cwd: source, encoding: 'utf8' })
  const [packed] = JSON.parse(output) as { filename: string }[]
  return join(to, packed!.filename)
}

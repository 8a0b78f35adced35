// What another check of this folder shows by requests. The check must exist and mention it, so that no reference rots.

import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

export interface Elsewhere {
  /** From the root of the repository. */
  file: string
  mentions: string
}

export function missingTests(references: readonly Elsewhere[]): string[] {
  return references.flatMap(({ file, mentions }) => {
    const path = join(import.meta.dirname, '../..', file)
    if (!existsSync(path)) return [`${file} does not exist`]
    return readFileSync(path, 'utf8').includes(mentions) ? [] : [`${file} does not mention ${mentions}`]
  })
}

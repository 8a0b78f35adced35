// What a request of this folder can't show, with the test that shows it. The test must exist and mention it, so that no reference rots.

import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

export interface Elsewhere {
  /** From the root of the repository. */
  file: string
  mentions: string
}

/** Statuses that need a wait or a fault. */
export const statusesElsewhere: Record<string, Elsewhere> = {
  408: { file: 'packages/twain/src/http/request/body-timeouts.test.ts', mentions: '408' },
}

export function missingTests(references: readonly Elsewhere[]): string[] {
  return references.flatMap(({ file, mentions }) => {
    const path = join(import.meta.dirname, '../..', file)
    if (!existsSync(path)) return [`${file} does not exist`]
    return readFileSync(path, 'utf8').includes(mentions) ? [] : [`${file} does not mention ${mentions}`]
  })
}

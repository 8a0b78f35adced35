// Features that a file may declare and Twain does not support yet. They stop the start with a message, since nothing in the
// file is ignored. Remove the entry here when you build the feature.

import type { Located, MistakeReport } from '../mistakes.ts'

const notBuilt = {
  Subscription: 'A custom subscription',
} as const

type UnsupportedUse = keyof typeof notBuilt

export function refuseUnbuilt(feature: UnsupportedUse, node: Located, report: MistakeReport, hint?: string): void {
  report.at(
    node,
    `${notBuilt[feature]} is not built yet.`,
    hint ?? 'Remove it for now; Twain ignores nothing in the file.',
  )
}

// What a file may say and the server does not do yet: nothing is ever ignored, so that it stops the start and says so.
// Building one deletes its line here.

import type { Located, MistakeReport } from '../mistakes.ts'

const notBuilt = {
  Subscription: "A subscription of the service's own",
} as const

type UnsupportedUse = keyof typeof notBuilt

export function refuseUnbuilt(feature: UnsupportedUse, node: Located, report: MistakeReport, hint?: string): void {
  report.at(
    node,
    `${notBuilt[feature]} is not built yet.`,
    hint ?? 'Take it out for now; nothing in the file is ever ignored.',
  )
}

// What the vocabulary has and the server does not do yet. A directive is never ignored: a use that is right in every
// other way still stops the start and says so. Building one deletes its line here.

import type { Located, Report } from '../mistakes.ts'

const notBuilt = {
  '@cost': 'A weight of its own (@cost)',
  Subscription: "A subscription of the service's own",
} as const

export type Unbuilt = keyof typeof notBuilt

/** The directives that are refused wherever they stand. */
export function isUnbuiltDirective(name: string): boolean {
  return `@${name}` in notBuilt
}

export function refuseUnbuilt(feature: Unbuilt, node: Located, report: Report, hint?: string): void {
  report.at(
    node,
    `${notBuilt[feature]} is not built yet.`,
    hint ?? 'Take it out for now; nothing in the file is ever ignored.',
  )
}

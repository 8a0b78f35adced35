// Reads `@history`: the changes of rows are kept longer than the change log (docs/internals/decisions/0078-reversions.md).

import { defaultHistoryKeep, keepSeconds } from '../directives/keep-time.ts'
import { placeOf } from '../mistakes.ts'
import { type DeclaredModel, resourcesOf } from '../parse/declare-types.ts'
import { findUse, wordArgument } from '../parse/directive-arguments.ts'

export function readHistories(declarations: DeclaredModel): void {
  const { report, declared } = declarations
  for (const resource of resourcesOf(declarations)) {
    const use = findUse(declared(resource).uses, 'history')
    if (!use || report.isWrong(use.node)) continue
    const keep = wordArgument(use, 'keep')
    const text = keep?.text ?? defaultHistoryKeep
    const seconds = keepSeconds(text)
    if (seconds === null) {
      const hint = 'Write a number and s, m, h, d, w or y: "1y".'
      report.at(keep!.node, `"${text}" is not a time to keep changes.`, hint)
    }
    resource.history = { keep: text, keepSeconds: seconds ?? 0, place: placeOf(use.node) }
  }
}

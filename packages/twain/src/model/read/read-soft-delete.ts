// Reads `@softDelete`: a DELETE hides a row, and a background job deletes it when its time is over
// (docs/internals/decisions/0069-soft-delete.md).

import { defaultKeep, keepSeconds } from '../directives/keep-time.ts'
import { placeOf } from '../mistakes.ts'
import { type DeclaredModel, resourcesOf } from '../parse/declare-types.ts'
import { findUse, wordArgument } from '../parse/directive-arguments.ts'

export function readSoftDeletes(declarations: DeclaredModel): void {
  const { report, declared } = declarations
  for (const resource of resourcesOf(declarations)) {
    const use = findUse(declared(resource).uses, 'softDelete')
    if (!use || report.isWrong(use.node)) continue
    const keep = wordArgument(use, 'keep')
    const text = keep?.text ?? defaultKeep
    const seconds = keepSeconds(text)
    if (seconds === null) {
      const hint = 'Write a number and s, m, h, d, w or y: "30d".'
      report.at(keep!.node, `"${text}" is not a time to keep deleted rows.`, hint)
    }
    const clash = declared(resource).fields.get('deleted')
    if (clash !== undefined) {
      const message = `${resource.name}.deleted is taken: ?deleted=only lists the deleted rows of a type with @softDelete.`
      report.at(clash.node.name, message, 'Use another name, such as isDeleted.')
    }
    resource.softDelete = { keep: text, keepSeconds: seconds ?? 0, place: placeOf(use.node) }
  }
}

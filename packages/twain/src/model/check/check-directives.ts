// Checks each use of the directives that need no more than their place.

import type { DeclaredModel } from '../parse/declare-types.ts'
import { isRoot } from '../parse/outline.ts'
import type { DirectiveUse } from '../parse/read-directives.ts'
import {
  checkCacheControl,
  checkCollation,
  checkCost,
  checkLabel,
  checkResource,
  checkSearch,
  checkWas,
  type DirectiveLocation,
} from './other-directives.ts'

type DirectiveCheck = (use: DirectiveUse, location: DirectiveLocation, declarations: DeclaredModel) => void

const checks: Readonly<Record<string, DirectiveCheck>> = {
  search: checkSearch,
  label: checkLabel,
  collation: checkCollation,
  was: checkWas,
  cacheControl: (use, _location, declarations) => checkCacheControl(use, declarations),
  cost: (use, _location, declarations) => checkCost(use, declarations),
  resource: checkResource,
}

export function checkDirectives(declarations: DeclaredModel): void {
  for (const type of declarations.outline.types.values()) {
    if (isRoot(type.name)) continue
    for (const use of type.uses) checkUse(use, { type, field: null, value: null }, declarations)
    for (const field of type.fields.values()) {
      for (const use of field.uses) checkUse(use, { type, field, value: null }, declarations)
    }
    for (const value of type.values.values()) {
      for (const use of value.uses) checkUse(use, { type, field: null, value }, declarations)
    }
  }
}

function checkUse(use: DirectiveUse, location: DirectiveLocation, declarations: DeclaredModel): void {
  // A directive that does not fit its field has been reported already.
  if (!declarations.report.isWrong(use.node)) checks[use.name]?.(use, location, declarations)
}

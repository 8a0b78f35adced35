// The draft of a row that is not there yet.

import type { TypeModel } from '../api/model.ts'
import { texts } from '../texts.ts'
import type { DraftTarget } from './drafts.ts'

export function newRowTarget(type: TypeModel): DraftTarget {
  return { path: type.path, id: null, label: texts.newRow(type.name), version: null }
}

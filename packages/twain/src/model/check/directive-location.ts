// Where a directive stands, for the checks of its sense.

import type { DeclaredField, DeclaredType, DeclaredValue } from '../parse/outline.ts'

export interface DirectiveLocation {
  type: DeclaredType
  field: DeclaredField | null
  value: DeclaredValue | null
}

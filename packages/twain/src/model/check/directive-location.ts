// The place of a directive in the file, for the checks.

import type { DeclaredField, DeclaredType, DeclaredValue } from '../parse/outline.ts'

export interface DirectiveLocation {
  type: DeclaredType
  field: DeclaredField | null
  value: DeclaredValue | null
}

// Compares the values of an enum.

import type { EnumType } from '../model.ts'
import type { Differences } from './differences.ts'

export function compareEnum(before: EnumType, after: EnumType, found: Differences): void {
  for (const { name, deprecated } of before.values) {
    if (after.values.some((value) => value.name === name)) continue
    found.gone(`${before.name}.${name}`, `the value ${name} of ${before.name}`, deprecated !== null, 'unused')
  }
  for (const { name } of after.values) {
    if (before.values.some((value) => value.name === name)) continue
    found.warning(
      `${after.name}.${name}`,
      `the value ${name} of ${after.name} is new, and responses may contain it`,
      'readers',
    )
  }
}

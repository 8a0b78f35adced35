// Freezes a model with everything in it: whatever writes to it afterwards throws. For tests.

import type { Model } from '../../packages/twain/src/model/index.ts'

export function freezeModel(model: Model): Model {
  freeze(model, new Set())
  return model
}

function freeze(value: unknown, seen: Set<object>): void {
  if (typeof value !== 'object' || value === null || seen.has(value) || Object.isFrozen(value)) return
  seen.add(value)
  if (value instanceof Map) {
    for (const [key, member] of value) {
      freeze(key, seen)
      freeze(member, seen)
    }
    const refuse = () => {
      throw new TypeError('The model is never written to after it is built.')
    }
    Object.assign(value, { set: refuse, delete: refuse, clear: refuse })
  } else for (const member of Object.values(value)) freeze(member, seen)
  Object.freeze(value)
}

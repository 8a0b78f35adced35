// Plans the URL of a variant of an image, for all adapters: `url(width: 320, format: WEBP)`.

import type { Argument } from '#model'
import type { Parameter } from '../plan.ts'
import type { PlanBuilder } from './plan-builder.ts'
import { combineValues } from './request-value.ts'

const int = { kind: 'scalar', name: 'Int' } as const
const text = { kind: 'scalar', name: 'String' } as const

/** The types are those of the values before the check, which knows the sizes, fits and formats. */
export const imageArguments: readonly Pick<Argument, 'name' | 'type'>[] = [
  { name: 'width', type: int },
  { name: 'height', type: int },
  { name: 'fit', type: text },
  { name: 'format', type: text },
]

/** Undefined if the request has none of the arguments. `leafOf` gives the value of one; undefined: it is absent. */
export function planImage(
  builder: PlanBuilder,
  place: string,
  leafOf: (name: string) => unknown,
): Parameter | undefined {
  const given = imageArguments.flatMap(({ name }) => {
    const leaf = leafOf(name)
    return leaf === undefined ? [] : [[name, leaf] as const]
  })
  if (given.length === 0) return undefined
  return builder.parameter({ kind: 'image' }, combineValues(Object.fromEntries(given)), place)
}

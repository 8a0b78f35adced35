// The measures that a request selects, filters and sorts by, each once.

import { didYouMean } from '#base'
import { type Abstract, fieldMeasureNames, isFieldMeasure, type Resource, takesMeasure } from '#model'
import type { Measure } from '../../plan.ts'
import type { PlanBuilder } from '../plan-builder.ts'
import { pathOf } from './group-keys.ts'
import { planGroupedField } from './grouped-field.ts'

export const maxMeasures = 20

const refusals = {
  countDistinct: 'has no values that could be counted',
  sum: 'is no number',
  avg: 'is no number',
  min: 'has no first value',
  max: 'has no last value',
} as const

export class MeasureBuilder {
  readonly #of: Resource | Abstract
  readonly #builder: PlanBuilder
  readonly #names = new Set<string>()

  constructor(of: Resource | Abstract, builder: PlanBuilder) {
    this.#of = of
    this.#builder = builder
  }

  /** `count` has no path. Null: a problem was reported. */
  measure(name: string, path: readonly string[], place: string): Measure | null {
    const measure = name === 'count' ? this.#count(path, place) : this.#ofField(name, path, place)
    if (measure !== null) this.#note(measure, place)
    return measure
  }

  #count(path: readonly string[], place: string): Measure | null {
    if (path.length === 0) return { kind: 'count' }
    this.#builder.problem(place, 'UNKNOWN', 'counts rows and has no fields; countDistinct counts values.')
    return null
  }

  #ofField(name: string, path: readonly string[], place: string): Measure | null {
    if (!isFieldMeasure(name)) {
      const names = ['count', ...fieldMeasureNames]
      const near = didYouMean(name, names)
      this.#builder.problem(place, 'UNKNOWN', `"${name}" is not a measure; there are ${names.join(', ')}.${near}`)
      return null
    }
    const end = { accepts: takesMeasure.bind(null, name), refusal: refusals[name] }
    const target = planGroupedField(path.slice(0, 1), this.#of, end, this.#builder, place)
    if (path.length > 1) {
      this.#builder.problem(place, 'UNKNOWN', 'measures a field of the row itself.')
      return null
    }
    return target === null ? null : { kind: name, target }
  }

  #note(measure: Measure, place: string): void {
    this.#names.add(measure.kind === 'count' ? 'count' : `${measure.kind}.${pathOf(measure.target)}`)
    if (this.#names.size === maxMeasures + 1)
      this.#builder.problem(place, 'RANGE', `is one measure too many: at most ${maxMeasures} are allowed.`)
  }
}

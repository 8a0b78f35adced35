// The plans of creates, by the names in their input. Most creates of a client name the same fields: then only the values differ, and the
// next one binds its values to the plan of the first. An input with rows of its own is planned each time.

import { isRecord } from '#base'
import type { BoundPlan, WritePlan } from '../plan.ts'
import { isSetField } from '../plan.ts'

/** How many are kept. The oldest goes first. */
const maxPlans = 8

interface PlannedCreate extends Omit<BoundPlan<WritePlan>, 'values'> {
  names: readonly string[]
}

export class PlannedCreates {
  readonly #plans: PlannedCreate[] = []

  /** A plan of before with the values of this input; null: there is none. `before`: the values of the parameters before those of the input. */
  bind(input: unknown, before: readonly unknown[]): BoundPlan<WritePlan> | null {
    if (!isRecord(input)) return null
    const names = Object.keys(input)
    const planned = this.#plans.find((one) => isSame(one.names, names))
    if (planned === undefined) return null
    const values = [...before]
    for (const name of names) {
      const value = input[name]
      if (value === undefined) return null // a field that is left out
      values.push(value)
    }
    const { plan, places, deprecated } = planned
    return deprecated === undefined ? { plan, values, places } : { plan, values, places, deprecated }
  }

  /** Keeps the plan for later inputs with the same names, if it is the same for all of them. `before`: how many parameters come before
   *  those of the input. */
  keep(input: unknown, before: number, bound: BoundPlan<WritePlan>): BoundPlan<WritePlan> {
    const { plan, values, places, deprecated } = bound
    const names = isRecord(input) ? Object.keys(input) : []
    const isPlain =
      values.length === before + names.length &&
      plan.set.length === names.length &&
      names.every((name, index) => {
        const member = plan.set[index]!
        const isWhole = isSetField(member) && member.change === undefined && member.parameter.index === before + index
        return isWhole && values[before + index] === (input as Record<string, unknown>)[name]
      })
    if (!isPlain) return bound
    const kept: WritePlan = { ...plan, isKept: true }
    if (this.#plans.push({ plan: kept, places, ...(deprecated && { deprecated }), names }) > maxPlans)
      this.#plans.shift()
    return { ...bound, plan: kept }
  }
}

function isSame(names: readonly string[], others: readonly string[]): boolean {
  return names.length === others.length && names.every((name, index) => name === others[index])
}

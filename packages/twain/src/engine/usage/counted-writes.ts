// Finds the count of an earlier write with the same names. Reads have one plan for each shape of a request, but a write over REST has a
// plan of its own: to measure and keep each would cost more than the rest of its usage.

import { isSetField, type WritePlan } from '#plan'
import type { usageApis } from '#store'

/** Few, since they are compared one by one. */
const maxWriteCount = 16

export interface PlanCount {
  requests: number
  /** Whether the client chose no fields (REST's default representation). */
  isDefaultSelection: boolean
  api: UsageApi
}

export type UsageApi = keyof typeof usageApis

interface CountedWrite {
  write: WritePlan
  count: PlanCount
}

export class CountedWrites {
  #writes: CountedWrite[] = []

  find(write: WritePlan, isDefaultSelection: boolean, api: UsageApi): PlanCount | undefined {
    return this.#writes.find(
      ({ count, write: known }) =>
        count.isDefaultSelection === isDefaultSelection && count.api === api && haveSameNames(known, write),
    )?.count
  }

  /** Remembers the first ones. */
  add(write: WritePlan, count: PlanCount): void {
    if (this.#writes.length < maxWriteCount) this.#writes.push({ write, count })
  }

  clear(): void {
    this.#writes = []
  }
}

/** Whether `schemaUsageOf` names the same for both. The selections of a result are cached, so the same ones are the same array. */
function haveSameNames(one: WritePlan, other: WritePlan): boolean {
  return (
    one.of === other.of &&
    (one.answer === other.answer || one.answer.length + other.answer.length === 0) &&
    one.key === undefined &&
    other.key === undefined &&
    one.update === undefined &&
    other.update === undefined &&
    one.set.length === other.set.length &&
    one.set.every((member, index) => {
      const same = other.set[index]!
      return isSetField(member) && isSetField(same) && member.field === same.field
    })
  )
}

// Judges conditions on one row for an explanation of rights. The asker learns from it nothing that the rules hide from them.
//
// 1. A judgement is null if it depends on values that the asker may not read on this row.
// 2. A part that the asker may know can decide the whole: one part of an `or` that holds, one of an `and` that does not.
// 3. About their own rights, askers learn what their requests would show them anyway.
// 4. Each condition is judged once, however many rules and fields share it.

import type { AnyField, Resource } from '#model'
import { conditionKey } from '../authorize/condition-key.ts'
import { readableCondition } from '../authorize/readable-condition.ts'
import type { ViewerRules } from '../authorize/viewer-rules.ts'
import type { Where } from '../plan.ts'

/** Null: the asker may not know. */
export type Judgement = boolean | null

/** Who is bound where a condition names the viewer: the one whose rights are explained, or the one who asks. */
type JudgedFor = 'subject' | 'asker'

interface RowJudgeParts {
  of: Resource
  /** The rules of the asker. Null: none apply. */
  asker: ViewerRules | null
  /** Whether the asker asks about their own rights. */
  isOwn: boolean
  /** Whether the condition holds on the row. */
  run(condition: Where, judgedFor: JudgedFor): Promise<boolean>
}

export class RowJudge {
  readonly #parts: RowJudgeParts
  readonly #judged = new Map<string, Promise<boolean>>()

  constructor(parts: RowJudgeParts) {
    this.#parts = parts
  }

  /** Whether the asker may read the field on the row. */
  async isShown(field: AnyField): Promise<boolean> {
    const { asker } = this.#parts
    return asker === null || this.#run(asker.field(field, 'READ'), 'asker')
  }

  /** Whether the condition of a single rule holds. */
  async holds(where: Where): Promise<Judgement> {
    if (where.kind === 'constant') return where.is
    const { asker, of } = this.#parts
    const isKnown = asker === null || (await this.#run(readableCondition(where, of, asker), 'asker'))
    if (isKnown) return this.#run(where, 'subject')
    switch (where.kind) {
      case 'or':
        return anyOf(await Promise.all(where.of.map((part) => this.holds(part))))
      case 'and':
        return allOf(await Promise.all(where.of.map((part) => this.holds(part))))
      case 'not':
        return negated(await this.holds(where.of))
      default:
        return null
    }
  }

  /** Whether all rules together allow something. */
  allows(where: Where): Promise<Judgement> {
    return this.#parts.isOwn ? this.#run(where, 'subject') : this.holds(where)
  }

  async #run(condition: Where, viewer: JudgedFor): Promise<boolean> {
    if (condition.kind === 'constant') return condition.is
    const judgedFor = this.#parts.isOwn ? 'subject' : viewer
    const key = `${judgedFor} ${conditionKey(condition)}`
    const known = this.#judged.get(key) ?? this.#parts.run(condition, judgedFor)
    this.#judged.set(key, known)
    return known
  }
}

function anyOf(parts: readonly Judgement[]): Judgement {
  if (parts.includes(true)) return true
  return parts.includes(null) ? null : false
}

export function allOf(parts: readonly Judgement[]): Judgement {
  if (parts.includes(false)) return false
  return parts.includes(null) ? null : true
}

function negated(part: Judgement): Judgement {
  return part === null ? null : !part
}

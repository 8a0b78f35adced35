// The moves of a type's state fields → statements for the writer: compiled once for a class of viewers, bound for each write.

import type { StateTransitions } from '#plan'
import { bindRead } from '../../sql/bind.ts'
import type { Dialect } from '../../sql/dialect.ts'
import type { Layout } from '../../tables/layout.ts'
import type { Check, JobMove } from '../steps/write-job.ts'
import { type Compiled, compilers } from './compile-checks.ts'

/** Gives the moves of one field to a viewer. */
export type CompiledMoves = ReadonlyMap<string, (account: string | null) => JobMove[]>

export function compileMoves(states: readonly StateTransitions[], layout: Layout, dialect: Dialect): CompiledMoves {
  return new Map(states.map((state) => [state.field.name, compileState(state, layout, dialect)]))
}

function compileState({ field, rules: lines }: StateTransitions, layout: Layout, dialect: Dialect) {
  const { check, virtual } = compilers(field.owner, layout, dialect)
  const compiled = lines.map(({ from, to, who, needs }) => ({
    from,
    to,
    who: who === undefined ? null : check(who),
    needs: needs.map(({ guard, words }) => ({ check: virtual(guard), words })),
  }))
  return (account: string | null): JobMove[] => {
    const bound = (one: Compiled): Check => (typeof one === 'boolean' ? one : bindRead(one, [], account, dialect))
    return compiled.map(({ who, needs, ...line }) => ({
      ...line,
      who: who === null ? null : bound(who),
      needs: needs.map(({ check: need, words }) => ({ check: bound(need), words })),
    }))
  }
}

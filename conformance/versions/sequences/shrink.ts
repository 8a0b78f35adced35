// Makes a failing sequence short: leaves out steps, then fields and types, as long as what is left fails too. Any failure counts, so
// what remains may show another bug than the one that was found first; it is a bug all the same.

import type { Chain } from './chain.ts'
import { withoutField } from './draw-chain.ts'
import type { Step } from './step.ts'

export interface Drawn {
  chain: Chain
  steps: readonly Step[]
}

/** `fails` returns what is wrong with a sequence; null: nothing. */
export async function shrink<Failure>(
  drawn: Drawn,
  failure: Failure,
  fails: (smaller: Drawn) => Promise<Failure | null>,
  maxMs: number,
): Promise<{ drawn: Drawn; failure: Failure }> {
  const end = performance.now() + maxMs
  let best = { drawn, failure }
  const attempt = async (smaller: Drawn): Promise<boolean> => {
    if (performance.now() > end) return false
    const found = await fails(smaller)
    if (found !== null) best = { drawn: smaller, failure: found }
    return found !== null
  }
  for (let size = Math.ceil(drawn.steps.length / 2); size >= 1; size = size === 1 ? 0 : Math.ceil(size / 2)) {
    await leaveOutSteps(size, () => best.drawn, attempt)
  }
  for (const type of drawn.chain.types) {
    for (const field of type.fields) {
      const { chain, steps } = best.drawn
      const isThere = chain.types.some(
        ({ name, fields }) => name === type.name && fields.some((one) => one.name === field.name),
      )
      if (isThere) await attempt({ chain: withoutField(chain, type, field), steps })
    }
    const { chain, steps } = best.drawn
    const isUsed = chain.types.some(({ fields }) => fields.some((field) => 'to' in field && field.to === type.name))
    if (!isUsed && chain.types.length > 1) {
      await attempt({ chain: { ...chain, types: chain.types.filter(({ name }) => name !== type.name) }, steps })
    }
  }
  await leaveOutSteps(1, () => best.drawn, attempt)
  return best
}

/** From the end: later steps are less often needed by others. */
async function leaveOutSteps(
  size: number,
  best: () => Drawn,
  attempt: (smaller: Drawn) => Promise<boolean>,
): Promise<void> {
  for (let at = best().steps.length - size; at > -size; at -= size) {
    const { chain, steps } = best()
    await attempt({ chain, steps: steps.toSpliced(Math.max(at, 0), Math.min(size, size + at)) })
  }
}

// Replaces the passwords of writes by their hashes. No password goes further than this.

import type { Plan, WritePlan } from '#plan'

export class PasswordHasher {
  readonly #hash: ((password: string) => Promise<string>) | undefined

  constructor(hash: ((password: string) => Promise<string>) | undefined) {
    this.#hash = hash
  }

  areIn(plan: Plan): boolean {
    if (plan.kind === 'write') return hasPassword(plan)
    return plan.kind === 'batch' && plan.writes.some(hasPassword)
  }

  /** Changes `values` in place. */
  async hash(plan: Plan, values: unknown[]): Promise<void> {
    const writes = plan.kind === 'write' ? [plan] : plan.kind === 'batch' ? plan.writes : []
    for (const { password } of writes) {
      if (password === undefined) continue
      if (this.#hash === undefined) throw new Error('a model with an account type needs hashPassword')
      values[password.index] = await this.#hash(values[password.index] as string)
    }
  }
}

function hasPassword({ password }: WritePlan): boolean {
  return password !== undefined
}

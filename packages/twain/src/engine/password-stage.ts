// The passwords of writes. A new password is replaced by its hash, and a current password by whether it confirms the change. No
// password goes further than this.

import type { Viewer } from '#base/http'
import type { Confirmation, Plan, WritePlan } from '#plan'

export interface PasswordFunctions {
  hashPassword(password: string): Promise<string>
  /** What confirms that the viewer may change the password and login of their own account: the current password, or without
   *  one a recent sign-in. Null: nothing does. Rejects if there were too many wrong passwords. */
  confirm(viewer: Viewer, currentPassword: string | null): Promise<Confirmation | null>
}

export class PasswordStage {
  readonly #functions: PasswordFunctions | undefined

  /** Undefined: the model has no account type. */
  constructor(functions: PasswordFunctions | undefined) {
    this.#functions = functions
  }

  appliesTo(plan: Plan): boolean {
    if (plan.kind === 'write') return hasPassword(plan)
    return plan.kind === 'batch' && plan.writes.some(hasPassword)
  }

  /** Changes `values` in place. */
  async prepare(plan: Plan, values: unknown[], viewer: Viewer): Promise<void> {
    const writes = plan.kind === 'write' ? [plan] : plan.kind === 'batch' ? plan.writes : []
    for (const write of writes) {
      if (!hasPassword(write)) continue
      if (this.#functions === undefined) throw new Error('a model with an account type needs password functions')
      const { hashPassword, confirm } = this.#functions
      const { id, password, currentPassword } = write
      if (currentPassword !== undefined) {
        const isOwn = id !== null && viewer.account !== null && values[id.index] === viewer.account
        const sent = values[currentPassword.index] as string | null
        values[currentPassword.index] = isOwn ? await confirm(viewer, sent) : null
      }
      if (password !== undefined) values[password.index] = await hashPassword(values[password.index] as string)
    }
  }
}

function hasPassword({ password, currentPassword }: WritePlan): boolean {
  return password !== undefined || currentPassword !== undefined
}

/** The functions for a write that runs twice: passwords are slow to check on purpose. */
export function memoizePasswords({ hashPassword, confirm }: PasswordFunctions): PasswordFunctions {
  const hashes = new Map<string, Promise<string>>()
  const confirmations = new Map<string, Promise<Confirmation | null>>()
  return {
    hashPassword: (password) => remember(hashes, password, () => hashPassword(password)),
    confirm: (viewer, current) =>
      remember(confirmations, JSON.stringify([viewer.account, viewer.token, current]), () => confirm(viewer, current)),
  }
}

function remember<Key, Value>(known: Map<Key, Value>, key: Key, make: () => Value): Value {
  const value = known.get(key) ?? make()
  known.set(key, value)
  return value
}

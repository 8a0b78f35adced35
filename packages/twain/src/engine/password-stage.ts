// The passwords of writes. A new password is replaced by its hash, and a current password by whether it confirms the change. No
// password goes further than this.
//
// 1. Hashing is slow on purpose, so a write is rehearsed first: everything else is judged before a password is hashed.
// 2. One request may set ten passwords. Nothing is hashed for a client that has gone.

import { ApiError } from '#base'
import type { RequestCaller, Viewer } from '#base/http'
import type { Confirmation, LoginChange, Plan, WritePlan } from '#plan'

export interface PasswordFunctions {
  /** The passwords of one client wait for each other, and not those of others for them. */
  hashPassword(password: string, client: string): Promise<string>
  /** Called before somebody signs up from this address. Rejects to refuse it. */
  admitSignUp(signUp: { login: string; captcha: string | null }, address: string): Promise<void>
  /** What confirms that the viewer may change the password and login of their own account: the current password, or without
   *  one a recent sign-in. Null: nothing does. Rejects if there were too many wrong passwords. */
  confirm(viewer: Viewer, currentPassword: string | null): Promise<Confirmation | null>
  /** A change of a login for a rehearsal; null: logins change at once. */
  readonly rehearsedChange?: LoginChange | null
  /** Called when a confirmed write is committed: its mails wait in the queue. */
  confirmed?(): void
}

/** In one request. */
const maxPasswords = 10

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

  /** The values for a rehearsal: as if each password were hashed, and each change confirmed. */
  rehearsed(plan: Plan, values: readonly unknown[], viewer: Viewer): unknown[] {
    const replaced = [...values]
    for (const write of writesOf(plan)) {
      const { password, currentPassword } = write
      if (password !== undefined) replaced[password.index] = ''
      if (currentPassword === undefined) continue
      replaced[currentPassword.index] = isOwn(write, values, viewer)
        ? ({ kind: 'recent', change: this.#functions?.rehearsedChange ?? null } satisfies Confirmation)
        : null
    }
    return replaced
  }

  /** Changes `values` in place. */
  async prepare(plan: Plan, values: unknown[], viewer: Viewer, caller: RequestCaller | undefined): Promise<void> {
    for (const write of writesOf(plan)) {
      if (this.#functions === undefined) throw new Error('a model with an account type needs password functions')
      const { hashPassword, confirm } = this.#functions
      const { password, currentPassword } = write
      expectPresent(caller)
      if (currentPassword !== undefined) {
        const sent = values[currentPassword.index] as string | null
        values[currentPassword.index] = isOwn(write, values, viewer) ? await confirm(viewer, sent) : null
      }
      if (password === undefined) continue
      values[password.index] = await hashPassword(values[password.index] as string, caller?.client ?? '')
    }
  }

  /** After the commit. */
  done(plan: Plan): void {
    if (writesOf(plan).some(({ currentPassword }) => currentPassword !== undefined)) this.#functions?.confirmed?.()
  }

  /** Counts the passwords that a request sets. Throws if there are too many. */
  count(plan: Plan, caller: RequestCaller | undefined): void {
    const count = writesOf(plan).filter(({ password }) => password !== undefined).length
    if (caller !== undefined) caller.passwords += count
    if ((caller?.passwords ?? count) <= maxPasswords) return
    throw new ApiError('BAD_REQUEST', `One request may set ${maxPasswords} passwords at most.`, {
      hint: 'Send several requests, or let the accounts set their passwords themselves.',
    })
  }
}

function writesOf(plan: Plan): WritePlan[] {
  const writes = plan.kind === 'write' ? [plan] : plan.kind === 'batch' ? plan.writes : []
  return writes.filter(hasPassword)
}

function hasPassword({ password, currentPassword }: WritePlan): boolean {
  return password !== undefined || currentPassword !== undefined
}

/** The row of a key is known to the store, which asks for a confirmation only if it is the viewer's own. */
function isOwn({ id, key }: WritePlan, values: readonly unknown[], viewer: Viewer): boolean {
  if (viewer.account === null) return false
  return key !== undefined || (id !== null && values[id.index] === viewer.account)
}

function expectPresent(caller: RequestCaller | undefined): void {
  if (caller?.connection?.destroyed === true) throw new ApiError('UNAVAILABLE', 'The client has gone.')
}

/** The functions for a write that runs twice: passwords are slow to check on purpose. `confirmed` is called before the commit. */
export function memoizePasswords(
  { hashPassword, confirm, rehearsedChange = null, admitSignUp }: PasswordFunctions,
  confirmed: () => void,
): PasswordFunctions {
  const hashes = new Map<string, Promise<string>>()
  const confirmations = new Map<string, Promise<Confirmation | null>>()
  return {
    rehearsedChange,
    admitSignUp,
    confirmed,
    hashPassword: (password, client) => remember(hashes, password, () => hashPassword(password, client)),
    confirm: (viewer, current) =>
      remember(confirmations, JSON.stringify([viewer.account, viewer.token, current]), () => confirm(viewer, current)),
  }
}

function remember<Key, Value>(known: Map<Key, Value>, key: Key, make: () => Value): Value {
  const value = known.get(key) ?? make()
  known.set(key, value)
  return value
}

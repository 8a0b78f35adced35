// The passwords of writes. A new password is replaced by its hash, and a current password by whether it confirms the change. No
// password goes further than this.
//
// 1. Hashing is slow on purpose, so a write is rehearsed first: everything else is judged before a password is hashed. In an open
//    transaction, the first run of all of it is the rehearsal (`password-memory.ts`).
// 2. One request may set ten passwords. Nothing is hashed for a client that has gone.

import { ApiError } from '#base'
import type { RequestCaller, Viewer } from '#base/http'
import type { Confirmation, LoginChange, Plan, WritePlan } from '#plan'
import type { PasswordMemory, PasswordNeed } from './password-memory.ts'

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

/** A write, or several of them, with the values that it is run with. */
interface WriteWithValues {
  plan: Plan
  values: unknown[]
}

export class PasswordStage {
  readonly #functions: PasswordFunctions | undefined
  readonly #memory: PasswordMemory | undefined

  /** Undefined: the model has no account type; or the writes are not part of an open transaction. */
  constructor(functions: PasswordFunctions | undefined, memory: PasswordMemory | undefined) {
    this.#functions = functions
    this.#memory = memory
  }

  /** Whether the writes are rehearsed by themselves. */
  get rehearses(): boolean {
    return this.#memory === undefined
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
      replaced[currentPassword.index] = isOwn(write, values, viewer) ? this.#assumedConfirmation : null
    }
    return replaced
  }

  get #assumedConfirmation(): Confirmation {
    return { kind: 'recent', change: this.#functions?.rehearsedChange ?? null }
  }

  /** Changes the values in place. Returns what it has assumed instead of making it, for `done`. */
  async prepare(
    writes: readonly WriteWithValues[],
    viewer: Viewer,
    caller: RequestCaller | undefined,
  ): Promise<PasswordNeed[]> {
    const needs: PasswordNeed[] = []
    for (const { plan, values } of writes)
      for (const write of writesOf(plan)) await this.#prepare(write, values, viewer, caller, needs)
    return needs
  }

  async #prepare(
    write: WritePlan,
    values: unknown[],
    viewer: Viewer,
    caller: RequestCaller | undefined,
    needs: PasswordNeed[],
  ): Promise<void> {
    if (this.#functions === undefined) throw new Error('a model with an account type needs password functions')
    const { hashPassword, confirm } = this.#functions
    const { password, currentPassword } = write
    if (currentPassword !== undefined) {
      const sent = values[currentPassword.index] as string | null
      const key = `confirm ${JSON.stringify([viewer.account, viewer.token, sent])}`
      values[currentPassword.index] = isOwn(write, values, viewer)
        ? await this.#make({ key, make: () => confirm(viewer, sent) }, this.#assumedConfirmation, needs)
        : null
    }
    if (password === undefined) return
    const sent = values[password.index] as string
    const make = async () => {
      expectPresent(caller) // many are hashed one after another
      return hashPassword(sent, caller?.client ?? '')
    }
    const key = this.#memory?.hashKey(sent) ?? ''
    values[password.index] = await this.#make({ key, make }, '', needs)
  }

  #make<T>(need: { key: string; make: () => Promise<T> }, assumed: T, needs: PasswordNeed[]): Promise<T> {
    return this.#memory === undefined ? need.make() : this.#memory.get(need, assumed, needs)
  }

  /** After the write. */
  done(plans: readonly Plan[], needs: readonly PasswordNeed[]): void {
    this.#memory?.need(needs)
    const isConfirmed = plans.flatMap(writesOf).some(({ currentPassword }) => currentPassword !== undefined)
    if (isConfirmed) this.#functions?.confirmed?.()
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

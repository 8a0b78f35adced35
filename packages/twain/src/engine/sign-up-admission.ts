// Those who sign up, before anything is written: auth counts them, and custom code may refuse them (`attempt`).
//
// 1. It concerns writes of guests that may create an account: of anonymous clients, and of accounts that may create others only as
//    anybody may (`isGuest`). Nothing else pays for it.
// 2. It is over before the transaction of the write begins: a count is a write of its own, which would wait for that transaction.
// 3. It comes before the store judges the write: whoever is refused learns nothing about other accounts.
// 4. A request that is repeated with its idempotency key is not admitted again: its captcha is used up.

import type { IdempotencyKey, RequestCaller, Viewer } from '#base/http'
import type { Resource } from '#model'
import { type BoundPlan, check, isGuest, isReadPlan, isSetField, type Plan, type WritePlan } from '#plan'
import { isCaptcha, isPassword } from '#plan/build'
import { type Engine, wrapEngine } from './engine.ts'
import type { PasswordFunctions } from './password-stage.ts'
import { planOnce, type TransactionPart } from './transaction.ts'

type AdmitSignUp = PasswordFunctions['admitSignUp']

/** An engine that admits those who sign up before it writes. */
export function admittingSignUps(engine: Engine, admit: AdmitSignUp): Engine {
  const account = engine.model.account?.resource
  if (account === undefined) return engine
  const admission = new SignUpAdmission(engine, account, admit)
  return wrapEngine(engine, {
    execute(boundPlan, viewer, options) {
      const caller = options?.caller
      if (isReadPlan(boundPlan.plan) || caller === undefined || !isGuest(account, viewer)) {
        return engine.execute(boundPlan, viewer, options)
      }
      return admission
        .admit([boundPlan], viewer, options?.idempotencyKey ?? null, caller)
        .then(() => engine.execute(boundPlan, viewer, options))
    },
    async transact(parts, viewer, key, caller) {
      if (caller === undefined || !isGuest(account, viewer)) return engine.transact(parts, viewer, key, caller)
      const planned = parts.map(planOnce)
      await admission.admit(plansOf(planned), viewer, key ?? null, caller)
      return engine.transact(planned, viewer, key, caller)
    },
    async transactEach(parts, viewer, key, caller) {
      if (caller === undefined || !isGuest(account, viewer)) return engine.transactEach(parts, viewer, key, caller)
      const planned = parts.map(planOnce)
      await admission.admit(plansOf(planned), viewer, key, caller)
      return engine.transactEach(planned, viewer, key, caller)
    },
  })
}

class SignUpAdmission {
  readonly #engine: Engine
  readonly #account: Resource
  readonly #admit: AdmitSignUp

  constructor(engine: Engine, account: Resource, admit: AdmitSignUp) {
    this.#engine = engine
    this.#account = account
    this.#admit = admit
  }

  async admit(
    plans: readonly BoundPlan[],
    viewer: Viewer,
    key: IdempotencyKey | null,
    { address }: RequestCaller,
  ): Promise<void> {
    const signUps = plans.flatMap((boundPlan) => this.#signUpsOf(boundPlan, viewer))
    if (signUps.length === 0) return
    if (key !== null && (await this.#engine.hasResult(key))) return
    for (const signUp of signUps) await this.#admit(signUp, address)
  }

  /** Throws as the write would, if it can be told without the store. */
  #signUpsOf(boundPlan: BoundPlan, viewer: Viewer): Parameters<AdmitSignUp>[0][] {
    const writes = writesOf(boundPlan.plan).filter((write) => write.of === this.#account && mayCreate(write))
    if (writes.length === 0) return []
    const values = check(boundPlan, this.#engine.limits)
    const creating = writes.filter((write) => !replacesOwn(write, values, viewer))
    return creating.map((write) => {
      this.#engine.admit(write, viewer)
      const set = write.set.filter(isSetField)
      const login = set.find(({ field }) => field.kind === 'stored' && field.isLogin === true)
      const captcha = set.find(isCaptcha)
      return {
        // A replace may leave out a login that the viewer can't see. No account can sign in without one, but it counts.
        login: String((login && values[login.parameter.index]) ?? ''),
        captcha: captcha === undefined ? null : (values[captcha.parameter.index] as string | null),
      }
    })
  }
}

function writesOf(plan: Plan): WritePlan[] {
  if (plan.kind === 'write') return [plan]
  return plan.kind === 'batch' ? plan.writes : []
}

function mayCreate({ action, set }: WritePlan): boolean {
  return (action === 'create' || action === 'replace' || action === 'upsert') && set.some(isPassword)
}

/** An account may send its own row back with another password: it is there already. */
function replacesOwn({ action, id }: WritePlan, values: readonly unknown[], { account }: Viewer): boolean {
  return action === 'replace' && account !== null && id !== null && values[id.index] === account
}

/** A part that can't be planned fails in the transaction, with its place. */
function plansOf(parts: readonly TransactionPart[]): BoundPlan[] {
  return parts.flatMap(({ plan }) => {
    try {
      return [plan().boundPlan]
    } catch {
      return []
    }
  })
}

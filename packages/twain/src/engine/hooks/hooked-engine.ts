// Opens the engine of a service: with the hooks of its custom code, and with transactions for that code.

import { Authority } from '#plan'
import { openActAs } from '../act-as.ts'
import { createEngine, type Engine, wrapEngine } from '../engine.ts'
import { rehearsalIn } from '../rehearse-write.ts'
import { admittingSignUps } from '../sign-up-admission.ts'
import { planOnce } from '../transaction.ts'
import type { CodeHooks, HookedEngineOptions, ServiceEngine } from './code-engine.ts'
import { HookedWrites } from './hooked-writes.ts'

/** The engine, with the hooks that the code has. */
export function openEngine(options: HookedEngineOptions): ServiceEngine {
  const hooks = options.code?.hooks ?? null
  const authority = new Authority(options.model)
  const { store } = options
  store.backgroundDeletes.watch((types) => authority.setPendingDeletes(types))
  const rehearse = rehearsalIn(store)
  const engine = createEngine({
    ...options,
    authority,
    store: {
      run: (plan, values, runOptions, viewer) => store.run(plan, values, runOptions, viewer),
      queryFor: (plan, values, viewer) => store.queryFor(plan, values, viewer),
      transact: (writes, key, viewer, caller) => store.transact(writes, key, viewer, caller),
      projector: store.projector,
      idempotency: store.idempotency,
      rehearse,
      writeEach: (parts, viewer, key, caller) => hooked.writeEach(parts, viewer, key, caller),
    },
  })
  const hooked = new HookedWrites({ ...options, authority }, hooks ?? noHooks)
  const unhooked = hooks === null ? hooked : new HookedWrites({ ...options, authority }, noHooks)
  const outside: Pick<
    ServiceEngine,
    'isInTransaction' | 'isDryRun' | 'transaction' | 'enqueue' | 'importRows' | 'migrate' | 'mayActAs'
  > = {
    isInTransaction: false,
    isDryRun: false,
    transaction: (viewer, work, call) => hooked.inTransaction(viewer, work, {}, call),
    migrate: (viewer, { hooks: isHooked, ...limits }, work) =>
      (isHooked ? hooked : unhooked).inTransaction(viewer, work, { ...limits, isSerializable: true }),
    enqueue: (job) => options.store.jobs.enqueue(job),
    importRows: (viewer, stepAfter, write) => hooked.importRows(viewer, stepAfter, write),
    mayActAs: openActAs(options.model, authority, store),
  }
  const served = hooks === null ? engine : wrapHooked(engine, hooked)
  const { passwords } = options
  return Object.assign(passwords ? admittingSignUps(served, passwords.admitSignUp) : served, outside)
}

function wrapHooked(engine: Engine, hooked: HookedWrites): Engine {
  return wrapEngine(engine, {
    execute: (boundPlan, viewer, executeOptions) =>
      hooked.mayRunFor(boundPlan.plan)
        ? hooked.write(viewer, executeOptions ?? {}, (inside) => inside.execute(boundPlan, viewer, executeOptions))
        : engine.execute(boundPlan, viewer, executeOptions),
    // The types of the writes are known once they are planned, which happens inside.
    transact: (parts, viewer, idempotencyKey, caller) => {
      const planned = parts.map(planOnce)
      const options = { idempotencyKey, caller }
      return hooked.write(viewer, options, (inside) => inside.transact(planned, viewer, idempotencyKey, caller))
    },
  })
}

const noHooks: CodeHooks = {
  before: new Set(),
  after: new Set(),
  run: async () => {},
  row: async () => null,
}

// Binds the exports of `twain.config.ts` to the schema: every computed field and custom operation needs code, and all code
// needs its field. It reports all mistakes at once, each with the code to write.

import { didYouMean, isRecord } from '#base'
import type { ComputedField, CustomOperation, Model } from '#model'
import { type BoundJob, bindJobs } from './bind-jobs.ts'
import { type BoundMail, bindMail } from './bind-mail.ts'
import type { Context } from './context.ts'
import type { ComputedResolver, OperationResolver, SubscriptionResolver } from './define-service.ts'
import { configName } from './load-config.ts'

/** The custom code does not fit the schema. */
export class CodeRejected extends Error {
  readonly mistakes: readonly string[]

  constructor(mistakes: readonly string[]) {
    super(mistakes.join('\n'))
    this.name = 'CodeRejected'
    this.mistakes = mistakes
  }
}

/** The custom code of a service, by what it answers. */
export interface BoundCode {
  computed: ReadonlyMap<ComputedField, ComputedResolver>
  /** Fields of `Query` and `Mutation`. */
  operations: ReadonlyMap<CustomOperation, OperationResolver>
  subscriptions: ReadonlyMap<CustomOperation, SubscriptionResolver>
  /** By type name. */
  before: ReadonlyMap<string, AnyHook>
  after: ReadonlyMap<string, AnyHook>
  on: ReadonlyMap<string, AnyHook>
  /** Null: the code has none. */
  signIn: AnyHook | null
  attempt: AnyHook | null
  mail: BoundMail
  jobs: ReadonlyMap<string, BoundJob>
}

/** Whether the code may decide on a write by what it has read. Computed fields only read. */
export function mayReadThenWrite(code: BoundCode): boolean {
  const { operations, subscriptions, before, after, on, signIn, attempt, jobs } = code
  const all = [operations, subscriptions, before, after, on, jobs]
  return signIn !== null || attempt !== null || all.some(({ size }) => size > 0)
}

type AnyHook = (write: unknown, context: Context) => unknown

/** `exported` is the default export of the file; null without a file. Throws CodeRejected. */
export function bindCode(exported: unknown, model: Model): BoundCode {
  const mistakes: string[] = []
  const resolvers = recordOf(memberOf(exported, 'resolvers'), 'resolvers', mistakes)
  const required = requiredCode(model)
  checkNames(resolvers, required, model, mistakes)
  const computed = new Map<ComputedField, ComputedResolver>()
  const operations = new Map<CustomOperation, OperationResolver>()
  const subscriptions = new Map<CustomOperation, SubscriptionResolver>()
  for (const [type, fields] of required) {
    const ofType = recordOf(memberOf(resolvers, type), `resolvers.${type}`, mistakes)
    for (const [name, of] of fields) {
      const resolver = memberOf(ofType, name)
      if (type === 'Subscription') {
        if (typeof memberOf(resolver, 'subscribe') !== 'function') mistakes.push(missing(type, name, of, resolver))
        else subscriptions.set(of as CustomOperation, resolver as SubscriptionResolver)
      } else if (typeof resolver !== 'function') mistakes.push(missing(type, name, of, resolver))
      else if ('kind' in of) computed.set(of, resolver as ComputedResolver)
      else operations.set(of, resolver as OperationResolver)
    }
  }
  const [before, after, on] = hookNames.map((hook) => bindHooks(exported, hook, model, mistakes))
  const signIn = bindAccountHook(exported, 'signIn', model, mistakes)
  const attempt = bindAccountHook(exported, 'attempt', model, mistakes)
  const mail = bindMail(exported, model, mistakes)
  const jobs = bindJobs(recordOf(memberOf(exported, 'jobs'), 'jobs', mistakes), mistakes)
  if (mistakes.length > 0) throw new CodeRejected(mistakes)
  return { computed, operations, subscriptions, before: before!, after: after!, on: on!, signIn, attempt, mail, jobs }
}

function bindAccountHook(exported: unknown, name: string, { account }: Model, mistakes: string[]): AnyHook | null {
  const hook = memberOf(exported, name)
  if (hook === undefined) return null
  if (typeof hook !== 'function') mistakes.push(`${configName}: ${name} must be a function.`)
  else if (account === null)
    mistakes.push(`${configName}: ${name}: the schema has no account type. Write @account behind one, or remove this.`)
  return hook as AnyHook
}

const hookNames = ['before', 'after', 'on']

function bindHooks(exported: unknown, hook: string, { resources }: Model, mistakes: string[]): Map<string, AnyHook> {
  const bound = new Map<string, AnyHook>()
  const names = resources.map(({ name }) => name)
  for (const [type, hookFunction] of Object.entries(recordOf(memberOf(exported, hook), hook, mistakes))) {
    const what = `${configName}: ${hook}.${type}`
    if (!names.includes(type)) mistakes.push(`${what}: there is no resource ${type}.${didYouMean(type, names)}`)
    else if (typeof hookFunction !== 'function') mistakes.push(`${what} must be a function.`)
    else bound.set(type, hookFunction as AnyHook)
  }
  return bound
}

type RequiredCode = ReadonlyMap<string, ReadonlyMap<string, ComputedField | CustomOperation>>

/** The fields and operations that need code, by type and field. */
function requiredCode({ resources, operations }: Model): RequiredCode {
  const required = new Map<string, ReadonlyMap<string, ComputedField | CustomOperation>>()
  for (const { name, computed } of resources) if (computed.size > 0) required.set(name, computed)
  for (const root of ['Query', 'Mutation', 'Subscription'] as const) {
    const ofRoot = operations.filter((operation) => operation.root === root)
    if (ofRoot.length > 0) required.set(root, new Map(ofRoot.map((operation) => [operation.name, operation])))
  }
  return required
}

function missing(type: string, name: string, of: ComputedField | CustomOperation, exported: unknown): string {
  const what = `${type}.${name}`
  const form = type === 'Subscription' ? 'an object with a function subscribe' : 'a function'
  if (exported !== undefined) return `${configName}: resolvers.${what} must be ${form}.`
  const code =
    'kind' in of ? `${name}: (rows) => rows.map((row) => row.${of.from[0]?.name ?? 'id'}),` : operationSample(name, of)
  return `${what} is answered by custom code, and ${configName} has no resolver for it. Write:

  import { defineService } from 'twain'

  export default defineService({
    resolvers: {
      ${type}: {
        ${code}
      },
    },
  })
`
}

function operationSample(name: string, of: CustomOperation): string {
  const args = of.args.length === 0 ? '_args' : `{ ${of.args.map((arg) => arg.name).join(', ')} }`
  if (of.root !== 'Subscription') return `${name}: async (${args}, { read }) => ${sample(of)},`
  return `${name}: {
          async *subscribe(${args}, { read, signal }) {
            while (!signal.aborted) yield ${sample(of)}
          },
        },`
}

function sample({ type }: CustomOperation): string {
  if (type.kind === 'rows') return `read.${type.of.name}.list()`
  return type.kind === 'row' ? `read.${type.of.name}.get('…')` : 'null'
}

/** Code that is never called is a mistake. */
function checkNames(resolvers: object, required: RequiredCode, model: Model, mistakes: string[]): void {
  for (const [type, ofType] of Object.entries(resolvers)) {
    const fields = required.get(type)
    const resource = model.resources.find(({ name }) => name === type)
    const isRoot = type === 'Query' || type === 'Mutation' || type === 'Subscription'
    if (fields === undefined && resource === undefined && !isRoot) {
      mistakes.push(
        `${configName}: resolvers.${type}: there is no resource ${type}.${didYouMean(type, required.keys())}`,
      )
      continue
    }
    for (const field of Object.keys(typeof ofType === 'object' && ofType !== null ? ofType : {})) {
      if (fields?.has(field)) continue
      const what = `${configName}: resolvers.${type}.${field}:`
      const near = didYouMean(field, fields?.keys() ?? [])
      if (isRoot) mistakes.push(`${what} the schema declares no ${type}.${field}.${near}`)
      else if (resource?.fields.has(field)) {
        mistakes.push(
          `${what} ${type}.${field} is not computed. Write @computed behind it in the schema, or remove this.`,
        )
      } else mistakes.push(`${what} ${type} has no computed field ${field}.${near}`)
    }
  }
}

function memberOf(record: unknown, name: string): unknown {
  if (typeof record !== 'object' || record === null || !Object.hasOwn(record, name)) return undefined
  return (record as Record<string, unknown>)[name]
}

function recordOf(value: unknown, what: string, mistakes: string[]): object {
  if (value === undefined) return {}
  if (isRecord(value)) return value
  mistakes.push(`${configName}: ${what} must be an object.`)
  return {}
}

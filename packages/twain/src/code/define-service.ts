// The types and functions for `twain.config.ts`: `export default defineService({ resolvers: { … } })`. They are exported by the
// package `twain` (docs/reference/custom-code.md).

import type { AccountMailKind, MailKind, MailMessage, MailText, MailValues } from '#base'
import type { Context } from './context.ts'

/** The error that custom code throws for expected failures: `throw new ApiError('CONFLICT', 'It is sold out.')`. */
export { ApiError, type MailMessage, type MailText, type MailValues } from '#base'
export type { AnyJobs, Context } from './context.ts'
export {
  type AnyMigration,
  defineMigration,
  type RowMigration,
  type WholeMigration,
} from './migrations/define-migration.ts'
export type { EnqueueOptions } from './new-job.ts'
export type { RowReader, RowWriter } from './rows.ts'

/** Returns one value for each row, in the same order. An Error in place of a value fails this row's field only. */
export type ComputedResolver = (
  rows: readonly Readonly<Record<string, unknown>>[],
  args: Readonly<Record<string, unknown>>,
  context: Context,
) => readonly unknown[] | Promise<readonly unknown[]>

/** Answers a custom field of `Query` or `Mutation`. */
export type OperationResolver = (args: Readonly<Record<string, unknown>>, context: Context) => unknown

/** Answers a custom field of `Subscription`. Each value of the iterable is an event. */
export interface SubscriptionResolver {
  subscribe(
    args: Readonly<Record<string, unknown>>,
    context: Context,
  ): AsyncIterable<unknown> | Promise<AsyncIterable<unknown>>
}

/** The argument of a `before` hook: a write before it is applied. */
export interface PendingWrite<Row = Readonly<Record<string, unknown>>> {
  kind: 'create' | 'update' | 'delete'
  id: string
  /** The stored row; null for a create. */
  row: Row | null
  /** The row as it would be written; null for a delete. */
  next: Row | null
}

/** The argument of an `after` hook: a write that was applied and is not yet committed. */
export interface AppliedWrite<Row = Readonly<Record<string, unknown>>> {
  kind: 'created' | 'updated' | 'deleted'
  id: string
  /** The row as written; null for a delete. */
  row: Row | null
}

/** The argument of an `on` handler: a committed change. */
export interface CommittedChange<Row = Readonly<Record<string, unknown>>> extends AppliedWrite<Row> {
  /** The row before the change, without its version; null for a create. */
  before: Omit<Row, '_version'> | null
  /** Who made the change, for example `account:01a1…` or `hook:Post.after`, and the name of the client. Null if unknown. */
  by: string | null
  via: string | null
  version: number
  /** The time of the write: RFC 3339. */
  time: string
  /** The position in the change log. A repeated call for the same change has the same cursor. */
  cursor: string
}

/** The argument of `signIn`. */
export interface SignIn<Account = Readonly<Record<string, unknown>>> {
  /** The row of the account. */
  account: Account
  /** With its password, with the token of an external issuer, with a code that was mailed, or with a provider. */
  method: 'password' | 'issuer' | 'code' | 'provider'
}

/** The argument of `attempt`: somebody sends a password, asks for a mail with a code, or signs up. Nothing was checked yet. */
export interface Attempt {
  kind: 'signIn' | 'mail' | 'signUp'
  /** As Twain compares logins. Whether it has an account is not known. */
  login: string
  /** The IP address of the client. */
  address: string
  /** Recent failures of this login from this network, or mails or sign-ups that came from this network. */
  failures: number
  /** What the client sent as `captcha`, or as `_captcha` among the fields of the account; null: nothing. */
  captcha: string | null
}

/** Makes the text of a mail. An error is a failed attempt to send it. */
export type MailWriter<Account = Readonly<Record<string, unknown>>> = (
  values: MailValues<Account>,
) => MailText | Promise<MailText>

/** An error in a `before` or `after` hook rolls back the write, and the client receives it. */
export type Hook<Argument> = (argument: Argument, context: Context) => unknown

/** The custom code of a service. The same object may also contain settings. */
export interface ServiceCode {
  /** By type and field: the resolvers of `@computed` fields and of custom fields of `Query`, `Mutation` and `Subscription`. */
  resolvers?: {
    readonly Query?: Readonly<Record<string, OperationResolver>>
    readonly Mutation?: Readonly<Record<string, OperationResolver>>
    readonly Subscription?: Readonly<Record<string, SubscriptionResolver>>
    readonly [type: string]:
      | Readonly<Record<string, ComputedResolver>>
      | Readonly<Record<string, OperationResolver>>
      | Readonly<Record<string, SubscriptionResolver>>
      | undefined
  }
  /** By type: called before a row is written, inside the write's transaction. */
  before?: Readonly<Record<string, Hook<PendingWrite>>>
  /** By type: called after a row was written, inside the write's transaction. */
  after?: Readonly<Record<string, Hook<AppliedWrite>>>
  /** By type: called for committed changes, in log order, at least once each. */
  on?: Readonly<Record<string, Hook<CommittedChange>>>
  /** Called before an account is signed in. An error refuses the sign-in, and the client receives it. */
  signIn?: Hook<SignIn>
  /** Called before a password is checked, before a code is mailed, and before somebody signs up. An error refuses the attempt, and the client receives it. */
  attempt?: Hook<Attempt>
  /** The texts of mails, in place of the built-in ones. */
  mails?: { readonly [Kind in MailKind]?: Kind extends AccountMailKind ? MailWriter : MailWriter<null> }
  /** Sends mails, in place of a mail server; `url` and `from` are settings. An error is a failed attempt: it is tried again. */
  mail?: { readonly send?: (message: MailMessage) => unknown; readonly [setting: string]: unknown }
  /** By name: background jobs, and schedules. */
  jobs?: Readonly<Record<string, BackgroundJob>>
}

/** A background job. Times are texts such as '30s', '15m', '1h' or '2d'. */
// biome-ignore lint/suspicious/noExplicitAny: payloads are any JSON
export interface BackgroundJob<Payload = any, AnyContext = Context> {
  /** Called at least once for each job. An error is a failed attempt. A schedule has no payload. */
  run(payload: Payload, context: AnyContext & { readonly job: RunningJobInfo }): unknown
  /** A schedule: the pause between two ticks. */
  every?: string
  /** A schedule: minute, hour, day of the month, month, weekday. */
  cron?: string
  /** The time zone of `cron`; default: UTC. */
  timeZone?: string
  /** How often a failed job is tried again; default: 10. */
  retries?: number
  /** How long an attempt may take; default: 10m. */
  timeLimit?: string
  /** How many of them a node runs at once; default: 5. */
  concurrency?: number
}

/** The job that runs. */
export interface RunningJobInfo {
  /** The same in every attempt. */
  readonly id: string
  readonly name: string
  readonly key: string | null
  /** From 1 on. */
  readonly attempt: number
}

/** Creates a row in a seed, and returns it. Rules do not apply; calls may run at the same time. `make('File', { name, mediaType,
 *  bytes })` uploads a file. */
export type Make = (type: string, input: object) => Promise<{ id: string } & Record<string, unknown>>

/** A filter on one field, with the operators of the GraphQL API. */
export interface FieldFilter<T> {
  eq?: T | null
  ne?: T | null
  in?: readonly T[]
  notIn?: readonly T[]
  lt?: T
  lte?: T
  gt?: T
  gte?: T
  between?: readonly [T, T]
  contains?: T
  startsWith?: T
  endsWith?: T
  ieq?: T
  icontains?: T
  istartsWith?: T
  iendsWith?: T
  isNull?: boolean
}

/** A filter of a JSON field. With a path, the conditions are about the value that it leads to. */
export interface JsonFilter {
  path?: string
  eq?: string | number | boolean
  ne?: string | number | boolean
  in?: readonly (string | number | boolean)[]
  notIn?: readonly (string | number | boolean)[]
  lt?: string | number
  lte?: string | number
  gt?: string | number
  gte?: string | number
  contains?: string
  startsWith?: string
  endsWith?: string
  ieq?: string
  icontains?: string
  istartsWith?: string
  iendsWith?: string
  isNull?: boolean
  exists?: boolean
}

/** Settings beside the code, by name. */
interface ConfigSettings {
  [setting: string]: unknown
}

/** Returns its argument; it exists for type checking. `twain types` generates the `Service` type of a schema. */
export function defineService<Service extends object = ServiceCode>(service: Service & ConfigSettings): Service {
  return service
}

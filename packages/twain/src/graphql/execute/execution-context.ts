// What the execution of one operation reads and writes: the request, the services that answer it, and what it has met so far.

import type { AccountExport, Tokens } from '#auth'
import type { Monitor } from '#base'
import type { IdempotencyKey, RequestCaller, Viewer } from '#base/http'
import type { Engine, SchemaInspector } from '#engine'
import type { Events, Webhooks } from '#events'
import type { Mailbox } from '#mail'
import type { AnyField } from '#model'
import { type AnyBoundPlan, type Deprecation, earliestDeprecation } from '#plan/explain'
import type { GraphqlOperation } from '../document/document-cache.ts'
import type { ResponseError, UnexpectedErrorHandler } from '../document/response-errors.ts'
import type { VariableValues } from '../input/argument-values.ts'
import type { Introspection } from './introspection.ts'
import type { Uploads } from './uploads.ts'

export interface ExecutionContext {
  operation: GraphqlOperation
  variables: VariableValues
  viewer: Viewer
  /** The viewer as its account's rights are since a refusal; null inside: they have not grown. Null: they are read at the next one. */
  freshViewer: Promise<Viewer | null> | null
  clientAddress: string
  /** Absent for requests without a socket. */
  caller: RequestCaller | undefined
  /** For all reads of the operation. */
  readOptions: { caller: RequestCaller | undefined }
  /** What the client calls itself. */
  clientName: string
  engine: Engine
  /** Null if the model has no accounts. */
  tokens: Tokens | null
  events: Events | null
  /** Null if the schema has no export of accounts. */
  exported: AccountExport | null
  /** Null if the service keeps no mails. */
  mailbox: Mailbox | null
  /** Null if the server does not watch itself. */
  monitor: Monitor | null
  /** Null in tests of this module. */
  servedSchema: SchemaInspector | null
  /** Null in tests of this module. */
  webhooks: Pick<Webhooks, 'message'> | null
  /** The files of a multipart request. */
  uploads: Uploads | null
  introspection: Introspection
  onError: UnexpectedErrorHandler | null
  requestId: string | undefined
  /** Whether the response can have a field that this viewer may not read. */
  mayForbid: boolean
  /** The fields that were forbidden so far. */
  deniedFields: Set<AnyField> | null
  budget: ResponseBudget
  /** The earliest deprecation that the operation used so far. */
  deprecated: Deprecation | null
  /** Whether a delete that is too large may run in the background. */
  isAsync: boolean
  /** Null without an idempotency key. */
  idempotency: IdempotencyTracker | null
}

/** The result of a root field: its JSON text with the errors inside it, or an error in its place. */
export type RootResult =
  // nulled: `data` is null as a whole; missing: a delete found no row that the viewer can see
  | { key: string; text: string; errors: ResponseError[]; isNulled?: true; isMissing?: true }
  | { key: string; error: ResponseError; isNullable: boolean; retryAfter?: string } // of `UNAVAILABLE`: seconds

/** The idempotency key of a request: a record for each root field that writes, and how many were executed or replayed. */
export interface IdempotencyTracker {
  keyFor: (field: string) => IdempotencyKey
  executed: number
  replayed: number
}

/** The characters that an HTTP response may still have. The operations of a batch share it. */
export interface ResponseBudget {
  remaining: number
}

/** The store has a limit of its own for the result of one field. */
export const maxResponseLength = 16 * 1024 * 1024

export function newResponseBudget(): ResponseBudget {
  return { remaining: maxResponseLength }
}

/** Notes a name of the schema that a field without a plan uses: it may be deprecated. */
export function recordName(path: string, context: Pick<ExecutionContext, 'engine' | 'deprecated'>): void {
  const { deprecations } = context.engine
  if (deprecations === null) return
  context.deprecated = earliestDeprecation(context.deprecated, deprecations.ofPath(path))
}

/** Counts what the plan names as used, whether or not the plan succeeds. */
export function recordUsage(
  boundPlan: AnyBoundPlan,
  context: Pick<ExecutionContext, 'engine' | 'clientName' | 'deprecated'>,
  isDefaultSelection = false,
): void {
  const { usage, deprecations } = context.engine
  usage.count(boundPlan.plan, context.clientName, isDefaultSelection, 'graphql')
  if (deprecations !== null) context.deprecated = earliestDeprecation(context.deprecated, deprecations.of(boundPlan))
}

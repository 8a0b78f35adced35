export type { MayActAs } from './act-as.ts'
export type { CodeArguments, CodeInputRow, CodeValues, CustomCode } from './computed/custom-code.ts'
export type { CustomStream } from './computed/custom-code-runner.ts'
export type { DeniedRequest } from './denials.ts'
export { createEngine, type Engine, type PlannedSubscription, wrapEngine } from './engine.ts'
export type { ExecuteOptions } from './execute-options.ts'
export { CodeClock, CodeRun, CodeTooSlow } from './hooks/code-clock.ts'
export type { CodeEngine, CodeHooks, HookedWrite, LimitedCall, ServiceEngine } from './hooks/code-engine.ts'
export { wrapCodeEngine } from './hooks/code-engine.ts'
export { openEngine } from './hooks/hooked-engine.ts'
export { type SchemaFiles, SchemaInspector } from './served-schema/schema-inspector.ts'
export { type PendingSchema, SchemaWatch } from './served-schema/schema-watch.ts'
export type {
  SystemAnswer,
  SystemPrecondition,
  SystemWrite,
  SystemWriter,
  SystemWriters,
  SystemWritten,
} from './system-writes.ts'
export type { TransactionPart } from './transaction.ts'
export { Usage } from './usage/usage.ts'
export { startUsageWriter, type UsageWriter } from './usage/usage-writer.ts'
export { type EachOutcome, type EachResult, maxPortionRows, rowNotTried } from './write-each.ts'

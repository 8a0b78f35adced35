export { Cache } from './cache/cache.ts'
export { CacheBudget, cacheBytesHelp, defaultCacheBytes } from './cache/cache-budget.ts'
export { FirstSights } from './cache/first-sights.ts'
export type { MemoryHolder } from './cache/held-memory.ts'
export { neverWhileActing, readOnlySession } from './errors/acting-errors.ts'
export {
  ApiError,
  asApiError,
  type DeniedRight,
  hasEnoughProblems,
  type Problem,
  publicProblem,
  shorten,
  validationError,
  withHint,
} from './errors/api-error.ts'
export { type Code, catalogue, type DetailCode } from './errors/catalogue.ts'
export { explanations } from './errors/explanations.ts'
export { atEachPlace, type PlacedFailure, placedError } from './errors/placed-error.ts'
export { damagedData, fullStorage } from './errors/storage-errors.ts'
export { FairQueue } from './fair-queue.ts'
export { type Linked, LinkedList } from './linked-list.ts'
export type {
  AccountMailKind,
  MailKind,
  MailMessage,
  MailText,
  MailTexts,
  MailValues,
  SendMail,
} from './mail-message.ts'
export { isOneAddress } from './mail-message.ts'
export { andThen, type MaybePromise, recoverWith } from './maybe-promise.ts'
export { memoryShare } from './memory-share.ts'
export { durationBounds, LoadHistory, type LoadSource, stepSeconds } from './monitor/load-history.ts'
export { LogHistory } from './monitor/log-history.ts'
export { type LogInput, Monitor, type MonitorSources } from './monitor/monitor.ts'
export type { ServingNode } from './monitor/serving-node.ts'
export { SlowStatements } from './monitor/slow-statements.ts'
export { StatementRecorder, type StatementRecording } from './monitor/statement-recorder.ts'
export type { Log, OperationKind } from './telemetry.ts'
export { exceptionFields, type Gauge, stackOf } from './telemetry.ts'
export { canonicalLogin, mailboxOf } from './text/canonical-login.ts'
export { csvRecord } from './text/csv.ts'
export { canonicalDateTime, canonicalTime, formatDateTime, isDate } from './text/dates.ts'
export {
  addDecimals,
  canonicalDecimal,
  canonicalInteger,
  compareDecimals,
  decimalSortKey,
  numberDigits,
  type Scaled,
  scaledOf,
  scaledText,
} from './text/decimal.ts'
export { encodeHtml } from './text/encode-html.ts'
export {
  foldedCharacters,
  foldingVersion,
  foldText,
  hangul,
  hangulBlock,
  hangulFinals,
} from './text/fold-text.ts'
export { foldByRule } from './text/folding-rule.ts'
export { formats, matchesPattern, maxPatternTextLength } from './text/formats.ts'
export { isRecord, parseJson } from './text/json.ts'
export { didYouMean, nearest } from './text/suggest.ts'
export { maxKeyCharacters, textKey } from './text/text-key.ts'
export { seededIds, uuidv7 } from './text/uuid.ts'
export { xmlDeclaration, xmlElement, xmlText } from './text/xml.ts'
export { canonicalTimeZone, timeZoneNames, zoneOffset } from './time-zones/zone-offset.ts'
export { intervalAt, type ZoneRules, zoneRules } from './time-zones/zone-rules.ts'
export type { Attributes, Span } from './tracing/opentelemetry.ts'
export { currentTraceparent, readTraceparent, withTraceparent } from './tracing/trace-context.ts'
export {
  endSpan,
  markFailed,
  openTracing,
  type RequestSpan,
  recordError,
  Tracing,
  traceparentOf,
} from './tracing/tracing.ts'
export { unreachable } from './unreachable.ts'

export { Cache } from './cache.ts'
export { ApiError, hasEnoughProblems, type Problem, shorten, validationError, withHint } from './errors/api-error.ts'
export { asApiError } from './errors/as-api-error.ts'
export { type Code, catalogue, type DetailCode } from './errors/catalogue.ts'
export { atEachPlace, type PlacedFailure, placedError } from './errors/placed-error.ts'
export { exceptionFields, stackOf } from './errors/stack-of.ts'
export { cacheGauges, type Gauge } from './gauges.ts'
export { chooseType } from './http/accept.ts'
export { decodeBody, isUtf8Charset, readContentType } from './http/content-type.ts'
export { encodedTag, entityTags, itemTag, matchesEntityTag, pageTag } from './http/entity-tag.ts'
export {
  extendFingerprint,
  type IdempotencyKey,
  idempotencyKeyOf,
  idempotencyKeyReused,
  readIdempotencyKey,
  requestInFlight,
  stepIdempotencyKey,
} from './http/idempotency-key.ts'
export {
  type ApiHandler,
  anonymous,
  type BodyStream,
  type HttpReply,
  type HttpRequest,
  isStream,
  type RequestContext,
  system,
  type Viewer,
} from './http/messages.ts'
export { networkOf } from './http/network-of.ts'
export { bodyText, plainRequest } from './http/plain-request.ts'
export { type ProblemDocument, problemDocument, problemHeaders, problemReply } from './http/problem-document.ts'
export { redirectReply } from './http/redirect.ts'
export { ServerTiming } from './http/server-timing.ts'
export type { Socket, SocketAcceptor, SocketHandler } from './http/socket.ts'
export { isRecord } from './is-record.ts'
export type { Log } from './log.ts'
export { andThen, type MaybePromise, recoverWith } from './maybe-promise.ts'
export { canonicalLogin } from './text/canonical-login.ts'
export { canonicalDateTime, isDate } from './text/dates.ts'
export { encodeHtml } from './text/encode-html.ts'
export { formats } from './text/formats.ts'
export { parseJson } from './text/json.ts'
export { matchesPattern, maxPatternTextLength } from './text/pattern.ts'
export { didYouMean, nearest } from './text/suggest.ts'
export { uuidv7 } from './text/uuid.ts'
export { unreachable } from './unreachable.ts'

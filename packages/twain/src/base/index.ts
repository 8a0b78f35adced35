export { Cache } from './cache.ts'
export { ApiError, isEnough, type Problem, shorten, validationError, withHint } from './errors/api-error.ts'
export { asApiError } from './errors/as-api-error.ts'
export { type Code, catalogue, type DetailCode } from './errors/catalogue.ts'
export { atEachPlace, type Failed, placedFault } from './errors/placed-error.ts'
export { type ProblemDocument, problemDocument, problemHeaders, problemReply } from './errors/problem-document.ts'
export { stackOf } from './errors/stack-of.ts'
export { cacheGauges, type Gauge } from './gauges.ts'
export { chooseType } from './http/accept.ts'
export { decodeBody, isUtf8Charset, readContentType } from './http/content-type.ts'
export { encodedTag, entityTags, isKnown, itemTag, pageTag } from './http/entity-tag.ts'
export {
  alsoSent,
  type Once,
  onceOf,
  onceWithin,
  otherUse,
  readIdempotencyKey,
  stillRunning,
} from './http/idempotency-key.ts'
export {
  anonymous,
  type BodyStream,
  type Door,
  type Exchange,
  type HttpReply,
  type HttpRequest,
  isStream,
  system,
  type Viewer,
} from './http/messages.ts'
export { networkOf } from './http/network-of.ts'
export { bodyText, plainRequest } from './http/plain-request.ts'
export { movedReply } from './http/redirect.ts'
export { Stages } from './http/server-timing.ts'
export type { Line, LineDoor, LineHolder } from './http/socket.ts'
export { isRecord } from './is-record.ts'
export type { Log } from './log.ts'
export { type MaybePromise, recovered, whenThere } from './maybe-promise.ts'
export { canonicalLogin } from './text/canonical-login.ts'
export { canonicalDateTime, isDate } from './text/dates.ts'
export { encodeHtml } from './text/encode-html.ts'
export { formats } from './text/formats.ts'
export { parseJson } from './text/json.ts'
export { longestForPattern, matchesPattern } from './text/pattern.ts'
export { didYouMean, nearest } from './text/suggest.ts'
export { uuidv7 } from './text/uuid.ts'
export { unreachable } from './unreachable.ts'

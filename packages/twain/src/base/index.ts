export { chooseType } from './accept.ts'
export { asFault } from './as-fault.ts'
export { Cache } from './cache.ts'
export { canonicalLogin } from './canonical-login.ts'
export { type Code, catalogue, type DetailCode } from './catalogue.ts'
export { decodeBody, isUtf8Charset, readContentType } from './content-type.ts'
export { canonicalDateTime, isDate } from './dates.ts'
export { encodeHtml } from './encode-html.ts'
export { encodedTag, entityTags, isKnown, itemTag, pageTag } from './entity-tag.ts'
export { Fault, isEnough, type Problem, shorten, validationFault, withHint } from './fault.ts'
export { formats } from './formats.ts'
export { cacheGauges, type Gauge } from './gauges.ts'
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
} from './http.ts'
export { isRecord } from './is-record.ts'
export { parseJson } from './json.ts'
export type { Line, LineDoor, LineHolder } from './line.ts'
export type { Log } from './log.ts'
export { movedReply } from './moved.ts'
export { networkOf } from './network-of.ts'
export { alsoSent, type Once, onceOf, onceWithin, otherUse, readIdempotencyKey, stillRunning } from './once.ts'
export { longestForPattern, matchesPattern } from './pattern.ts'
export { atEachPlace, type Failed, placedFault } from './placed-fault.ts'
export { bodyText, plainRequest } from './plain-request.ts'
export { type ProblemDocument, problemDocument, problemHeaders, problemReply } from './problem-document.ts'
export { stackOf } from './stack-of.ts'
export { Stages } from './stages.ts'
export { didYouMean, nearest } from './suggest.ts'
export { unreachable } from './unreachable.ts'
export { uuidv7 } from './uuid.ts'
export { type MaybePromise, recovered, whenThere } from './when-there.ts'

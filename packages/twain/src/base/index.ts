export { Cache } from './cache.ts'
export { canonicalLogin } from './canonical-login.ts'
export { type Code, catalogue, type DetailCode } from './catalogue.ts'
export { canonicalDateTime, isDate } from './dates.ts'
export { entityTags, isKnown, itemTag, pageTag } from './etag.ts'
export { Fault, isEnough, type Problem, shorten, validationFault } from './fault.ts'
export { formats } from './formats.ts'
export {
  anonymous,
  type BodyStream,
  type Door,
  type HttpReply,
  type HttpRequest,
  isStream,
  system,
  type Viewer,
} from './http.ts'
export { parseJson } from './json.ts'
export type { Log } from './log.ts'
export { longestForPattern, matchesPattern } from './pattern.ts'
export { bodyText, plainRequest } from './plain-request.ts'
export { stackOf } from './stack-of.ts'
export { didYouMean, nearest } from './suggest.ts'
export { unreachable } from './unreachable.ts'
export { uuidv7 } from './uuid.ts'
export { type MaybePromise, whenThere } from './when-there.ts'

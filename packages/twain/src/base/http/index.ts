export { chooseType } from './accept.ts'
export { decodeBody, isUtf8Charset, readContentType } from './content-type.ts'
export { encodedTag, entityTags, itemTag, matchesEntityTag, pageTag } from './entity-tag.ts'
export {
  extendFingerprint,
  type IdempotencyKey,
  idempotencyKeyOf,
  idempotencyKeyReused,
  readIdempotencyKey,
  requestInFlight,
  stepIdempotencyKey,
} from './idempotency-key.ts'
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
} from './messages.ts'
export { networkOf } from './network-of.ts'
export { bodyText, plainRequest } from './plain-request.ts'
export { type ProblemDocument, problemDocument, problemHeaders, problemReply } from './problem-document.ts'
export { redirectReply } from './redirect.ts'
export { ServerTiming } from './server-timing.ts'
export type { Socket, SocketAcceptor, SocketHandler } from './socket.ts'

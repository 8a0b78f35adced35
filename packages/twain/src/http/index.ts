export { signUpFields } from './home-page-html.ts'
export { Metrics } from './metrics.ts'
export { isLocal } from './proxy.ts'
export { RateLimit } from './rate-limit.ts'
export { createRoutes, type HttpHandler, type Routes } from './routes.ts'
export type { ServedRequest } from './served-request.ts'
export { type HttpServer, type ListenOptions, listen } from './server.ts'
export {
  defaultHttpLimits,
  defaultHttpSettings,
  type HttpLimits,
  type HttpSettings,
  httpMistakes,
} from './settings.ts'
